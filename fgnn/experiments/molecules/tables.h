// What came out, beside the paper's figures, as tables and as a page.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/molecules/runs.h"
#include "fgnn/report/page.h"

namespace fgnn::molecules {

// One method of a table.
struct Row {
  std::string table, method;
  bool paper = false;
  std::vector<std::optional<double>> error;  // by target, in reporting units
  std::optional<double> standardised;        // mean over targets, in deviations of the raw targets
  double parameters = 0, epochs = 0, hours = 0;
  std::size_t finished = 0, planned = 0;  // seeds, or targets trained separately; 0 of the paper's
};

// Rows of the tables wanted, ours after the paper's.
std::vector<Row> rows_of(const ReportOptions& options, const std::vector<Outcome>& outcomes);

report::HtmlTable printed(const std::string& table, const std::vector<Row>& rows);
// How to make what is missing, and what to know about a table.
std::vector<std::string> notes(const std::string& table, const ReportOptions& options,
                               const std::vector<Row>& rows);

std::string page(const ReportOptions& options, const std::vector<Row>& rows);

}  // namespace fgnn::molecules
