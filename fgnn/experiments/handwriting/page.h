// The handwriting experiments as one HTML page: tables, plots, confusions, and the words that
// context repaired.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/handwriting/tables.h"

namespace fgnn::handwriting {

// Letters (rows) by what was read (columns), the right ones left out; the darker, the more often.
std::string confusion_picture(const std::vector<std::uint64_t>& confusion);

// Where the folder has the models of orders 0 and 3 for the first fold, they read words of the test
// folds, and those are shown that only the second reads right.
std::string handwriting_page(const HandwritingReportOptions& options,
                             const HandwritingResults& results,
                             const std::vector<HandwritingRow>& rows);

}  // namespace fgnn::handwriting
