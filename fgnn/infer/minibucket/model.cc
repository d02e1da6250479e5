#include "fgnn/infer/minibucket/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/factor_ranges.h"
#include "fgnn/potentials/table.h"

namespace fgnn::minibucket {
namespace {

// Steps of a chain with more joint states are not worth it, nor are tables that have to be made.
constexpr std::uint64_t kLargestStep = std::uint64_t{1} << 18;
constexpr std::uint64_t kLargestMade = std::uint64_t{1} << 20;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

// Joint states that are left to a factor.
std::uint64_t entries_left(const FactorGraph& graph, const Domains& domains, FactorId c) {
  std::uint64_t entries = 1;
  for (VariableId v : graph.scope(c)) entries = times(entries, domains.allowed[v].size());
  return entries;
}

// Joint states of the largest step of the factor's chain; none where there is no chain.
std::uint64_t largest_step(const FactorGraph& graph, const Domains& domains, FactorId c,
                           ExactTask task) {
  const auto shape = graph.shape(c);
  const auto scope = graph.scope(c);
  const auto machine = graph.potential(c).machine(shape, exact::reduction_of(task));
  if (machine == nullptr) return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest = 0, before = std::max<std::uint64_t>(1, machine->modes());
  for (std::size_t i = 0; i < scope.size(); ++i) {
    const std::uint64_t after = i + 1 < scope.size() ? machine->states(i) : 1;
    const std::uint64_t here = times(before, domains.allowed[scope[i]].size());
    largest = std::max(largest, times(here, after));
    before = times(std::max<std::uint64_t>(1, machine->modes()), after);
  }
  return largest;
}

// Whether the factor can be read as a table or a chain of tables.
bool readable(const FactorGraph& graph, const Domains& domains, FactorId c, ExactTask task,
              std::uint64_t expand_up_to) {
  const Stored stored = graph.potential(c).stored();
  if (stored.table != nullptr) return true;
  const auto shape = graph.shape(c);
  const std::uint64_t entries = configurations(shape);
  const bool chain = shape.size() >= 2 && entries > expand_up_to &&
                     graph.potential(c).machine(shape, exact::reduction_of(task)) != nullptr;
  if (chain) return largest_step(graph, domains, c, task) <= kLargestStep;
  // A count is read by its values; all else is expanded in full first.
  return (stored.counting != nullptr ? entries_left(graph, domains, c) : entries) <= kLargestMade;
}

FactorGraph without(const FactorGraph& graph, const std::vector<char>& left_out) {
  GraphBuilder b;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    b.unary(b.variable(fmt::format("v{}", v), graph.states(v)), graph.unary(v));
  }
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    if (!left_out[c]) b.factor(graph.scope(c), graph.shared_potential(graph.potential_index(c)));
  }
  return std::move(b).build();
}

}  // namespace

std::vector<double> Restated::log2_states() const {
  std::vector<double> all;
  for (const auto& variable : problem.variables) {
    all.push_back(std::log2(static_cast<double>(variable.states)));
  }
  return all;
}

Restated restate(const FactorGraph& given, ExactTask task, std::size_t bits, bool relax,
                 Budget& budget) {
  Restated result;
  budget.take(domain_bytes(given));
  result.domains = find_domains(given, true, budget.deadline());
  result.left_out = {given.constant(), given.constant()};
  if (!result.domains.contradiction.empty()) return result;
  const std::uint64_t expand_up_to = std::uint64_t{1} << std::min<std::size_t>(bits, 16);
  std::vector<char> left_out(given.num_factors(), 0);
  FactorRanges ranges(given);
  for (FactorId c = 0; c < given.num_factors(); ++c) {
    if (readable(given, result.domains, c, task, expand_up_to)) continue;
    if (!relax) {
      throw Error(ErrorCode::too_large, given.describe(c),
                  "has no form that clusters can use and too large a table",
                  "use sum-product or mini-bucket");
    }
    left_out[c] = 1;
    ++result.relaxed;
    const ScoreRange range = ranges(c);
    result.left_out.low = kForbidden;  // whether it forbids anything is not known
    result.left_out.high += range.high;
  }
  result.kept = result.relaxed == 0 ? given : without(given, left_out);
  budget.take(exact::planning_bytes(result.kept, result.domains, task, expand_up_to));
  result.problem = exact::restate(result.kept, result.domains, task, expand_up_to, budget);
  return result;
}

}  // namespace fgnn::minibucket
