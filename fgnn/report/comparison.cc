#include "fgnn/report/comparison.h"

#include <fmt/core.h>

#include "fgnn/report/text.h"

namespace fgnn {

std::string optional_text(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "";
}

TextTable comparison_table(const std::vector<ComparisonRow>& rows) {
  TextTable table({{"method"},
                   {"agreement %", Align::right},
                   {"exact %", Align::right},
                   {"feasible %", Align::right},
                   {"score gap", Align::right},
                   {"bound gap", Align::right},
                   {"settled %", Align::right},
                   {"iterations", Align::right},
                   {"time", Align::right}});
  for (const ComparisonRow& row : rows) {
    table.add({row.method, optional_text(row.agreement, "{:.1f}"),
               optional_text(row.exact_instances, "{:.1f}"), fmt::format("{:.1f}", row.feasible),
               optional_text(row.score_gap, "{:.4f}"), optional_text(row.bound_gap, "{:.4f}"),
               fmt::format("{:.1f}", row.settled), fmt::format("{:.1f}", row.iterations),
               row.answered > 0 ? seconds_text(1e-6 * row.microseconds) : "none"});
  }
  return table;
}

}  // namespace fgnn
