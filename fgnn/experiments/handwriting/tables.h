// The outcomes of the handwriting experiments as tables, with the paper's figures beside them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fgnn/core/linear_fit.h"
#include "fgnn/experiments/handwriting/results.h"
#include "fgnn/report/page.h"

namespace fgnn::handwriting {

// A setting, over the folds that are finished.
struct HandwritingRow {
  std::string table, setting;
  std::optional<double> ours, deviation, paper, paper_error;  // % of letters, or seconds
  std::optional<double> words;            // % of words read right in every letter
  std::optional<double> minutes;          // processor time of training
  std::size_t finished = 0, planned = 0;  // folds
  std::string note;
  double x = 0;  // the order, fold or rank, for plots
};

std::vector<HandwritingRow> handwriting_rows(const HandwritingReportOptions& options,
                                             const HandwritingResults& results);

// Of the seconds by order.
std::optional<LinearFit> timing_fit(const std::vector<HandwritingRow>& rows);

report::HtmlTable printed(const std::string& table, const std::vector<HandwritingRow>& rows);
std::vector<std::string> handwriting_notes(const std::string& table,
                                           const std::vector<HandwritingRow>& rows);

}  // namespace fgnn::handwriting
