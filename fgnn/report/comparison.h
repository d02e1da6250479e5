// The table of several methods on many instances, for `compare` and `demo`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fgnn/infer/compare.h"
#include "fgnn/report/text_table.h"

namespace fgnn {

// The number in this format, or nothing.
std::string optional_text(const std::optional<double>& value, const char* format);

TextTable comparison_table(const std::vector<ComparisonRow>& rows);

}  // namespace fgnn
