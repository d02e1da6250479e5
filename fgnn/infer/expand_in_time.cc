#include "fgnn/infer/expand_in_time.h"

#include <utility>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/sparse.h"

namespace fgnn {
namespace {

// Simple steps of filling a table that need no look at the clock: a hundredth of a second.
constexpr double kShort = 1 << 24;

// Potential::fill cannot be stopped: of these kinds it takes no longer than the table is long, of
// others a score for every entry.
bool filled_fast(const Potential& potential) {
  return dynamic_cast<const Table*>(&potential) != nullptr ||
         dynamic_cast<const Count*>(&potential) != nullptr ||
         dynamic_cast<const Sparse*>(&potential) != nullptr;
}

}  // namespace

Table expand_in_time(const FactorGraph& graph, FactorId c, const Deadline& deadline) {
  const Potential& potential = graph.potential(c);
  const std::uint64_t parameters = potential.bytes() / sizeof(double);  // a score may need them all
  const std::uint64_t entries = configurations(graph.shape(c));
  const double steps = static_cast<double>(entries) * static_cast<double>(1 + parameters);
  if (deadline.limit() == kInfinity || steps <= kShort || entries > kMaxTableEntries ||
      filled_fast(potential)) {
    return expand(graph, c);
  }
  const Budget budget(graph.describe(c), Budget::kNoLimit, deadline);
  TimeCheck time(deadline);
  std::vector<State> shape = graph.shape(c), x(shape.size(), 0);
  std::vector<double> values(entries);
  for (double& value : values) {
    if (time.late(1 + parameters)) budget.check_time();
    value = potential.score(x);
    next_configuration(shape, x);
  }
  return {std::move(shape), std::move(values)};
}

}  // namespace fgnn
