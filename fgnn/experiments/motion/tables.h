// What came out, beside published figures, as tables and as a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fgnn/experiments/motion/runs.h"
#include "fgnn/report/page.h"

namespace fgnn::motion {

// One method at one action, or in the mean of all.
struct Row {
  std::string table, action, method;
  enum class From { published, baseline, trained } from = From::trained;
  std::vector<std::optional<double>> errors;      // by the table's horizons
  std::vector<std::optional<double>> deviations;  // over seeds
  std::size_t finished = 0, planned = 0;          // seeds
  double parameters = 0, hours = 0;               // of all seeds
};

// Rows of the tables wanted: means first, then actions; published ones, baselines, ours.
std::vector<Row> rows_of(const ReportOptions& options, const std::vector<Outcome>& outcomes);

report::HtmlTable printed(const TableSpec& table, const std::vector<Row>& rows);
std::vector<std::string> notes(const TableSpec& table, const ReportOptions& options,
                               const std::vector<Row>& rows);
std::string page(const ReportOptions& options, const std::vector<Row>& rows);

}  // namespace fgnn::motion
