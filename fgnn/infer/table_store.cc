#include "fgnn/infer/table_store.h"

#include "fgnn/core/budget.h"

namespace fgnn {
namespace {

// Simple steps of filling a table that need no look at the clock: a hundredth of a second.
constexpr double kShort = 1 << 24;

}  // namespace

// Potential::fill cannot be stopped: where it takes a score for every entry, and those are many,
// they are asked for one by one.
Table expand_in_time(const FactorGraph& graph, FactorId c, const Deadline& deadline) {
  const Potential& potential = graph.potential(c);
  const std::uint64_t parameters = potential.bytes() / sizeof(double);  // a score may need them all
  std::vector<State> shape = graph.shape(c);
  const std::uint64_t entries = configurations(shape);
  const double steps = static_cast<double>(entries) * static_cast<double>(1 + parameters);
  if (deadline.limit() == kInfinity || steps <= kShort || entries > kMaxTableEntries ||
      potential.fills_fast()) {
    return expand(graph, c);
  }
  const Budget budget(graph.describe(c), Budget::kNoLimit, deadline);
  TimeCheck time(deadline);
  std::vector<State> x(shape.size(), 0);
  std::vector<double> values(entries);
  for (double& value : values) {
    if (time.late(1 + parameters)) budget.check_time();
    value = potential.score(x);
    next_configuration(shape, x);
  }
  return {std::move(shape), std::move(values)};
}

std::span<const double> TableStore::values(const FactorGraph& graph, FactorId c) {
  if (const auto* table = graph.potential(c).stored().table) return *table;
  auto key = std::pair(graph.potential_index(c), graph.shape(c));
  auto place = made_.find(key);
  if (place == made_.end()) {
    place = made_.emplace(std::move(key), expand_in_time(graph, c, deadline_)).first;
  }
  return place->second.values();
}

}  // namespace fgnn
