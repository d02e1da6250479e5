// Exact inference by bucket elimination (Dechter 1999) on a compiled plan.
//
// Eliminating variable v joins all tables that mention it and reduces v away,
//   m(S) = reduce_v  sum_k T_k(v, S),     reduce = log-sum-exp for Z, max for MAP,
// at a cost of one pass over the joint states of {v} + S. The order of elimination decides the size
// of the largest S (the induced width); several min-fill and weighted min-fill orders are tried and
// the cheapest is kept. Marginals come from one backward pass over the same tables (the posterior
// of a clique is the posterior of its separator times the clique's share of the message, Darwiche
// 2003), so nothing is divided and zeros are harmless. The k best assignments come from a
// best-first search in which the messages are a perfect heuristic.
//
// Where no order fits the memory, conditioning on a few variables makes the rest narrower: its cost
// is paid once for each of their joint states, and log Z or the maximum taken over these.
//
// Determinism helps: states that cannot occur are removed beforehand by propagating forbidden
// entries. Count, parity, all-different and other structured potentials join as running counters
// (extra variables) when that is cheaper than their tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct ExactOptions {
  // Refuse above this: Error(too_wide), or Error(too_large) when planning alone would need more.
  // Counts everything that planning and solving hold beside the graph, before it is allocated.
  std::uint64_t max_bytes = std::uint64_t{8} << 30;
  int orders = 1000;  // elimination orders to try on hard graphs; easy ones take fewer
  // Above zero: seconds to try orders for instead, however many. The answer is the same, but the
  // plan then depends on the speed of the machine.
  double order_seconds = 0;
  // Above 1: where no order fits the memory, some variables are conditioned on: everything is
  // eliminated once for each of their joint states, of which there may be so many.
  std::uint64_t max_branches = 1;
  std::uint64_t seed = 0;         // breaks ties between orders
  int threads = 0;                // 0: all processors
  double time_limit = kInfinity;  // seconds; Error(time_limit) when exceeded
  Control control;                // who looks on, and may ask to stop: Error(interrupted)
  // Remove states that cannot occur before planning. Turn off for a plan that is to be used on
  // other graphs of the same structure, in which those states may occur.
  bool prune = true;

  void validate() const;  // throws Error(usage)
  bool operator==(const ExactOptions&) const = default;
};

Fields fields(const ExactOptions& options);

// What solving will cost, known before any table is made.
struct ExactCost {
  std::size_t induced_width = 0;    // most variables joined in one step, minus one
  double log2_largest = 0;          // log2 of the joint states of the largest clique
  double operations = 0;            // joint states visited in one pass
  std::uint64_t bytes = 0;          // memory of messages, tables that are made, and the plan
  std::size_t extra_variables = 0;  // counters that replace structured potentials
  std::size_t conditioned = 0;      // variables that are conditioned on
  double branches = 1;              // their joint states; operations are those of all branches
  bool hopeless = false;            // no order was found; the figures are lower bounds
};

// What the plan is for: sums and maxima allow different shortcuts for structured potentials.
enum class ExactTask { marginals, map, k_best };

// A plan made with prune = false can be used for every graph of the same structure (potentials that
// became counters must be equal); one made with prune = true only for the graph it was made for,
// with the same or more evidence. Anything else is refused with Error(model).
class ExactPlan {
 public:
  // Throws Error(too_wide) when no order found fits options.max_bytes, giving the width and the
  // memory it would need, and Error(time_limit).
  ExactPlan(const FactorGraph& graph, ExactTask task, const ExactOptions& options = {});
  ~ExactPlan();
  ExactPlan(ExactPlan&&) noexcept;
  ExactPlan& operator=(ExactPlan&&) noexcept;

  const ExactCost& cost() const;
  const std::vector<Phase>& phases() const;  // where the time of planning went

  // Marginals and log Z. Status infeasible when Z = 0. Without a deadline, options.time_limit
  // counts from now.
  Result marginals(const FactorGraph& graph, std::optional<Deadline> deadline = {}) const;
  // The MAP and, for a plan made for k_best, up to `k` best assignments in order.
  Result map(const FactorGraph& graph, std::size_t k = 1,
             std::optional<Deadline> deadline = {}) const;

 private:
  struct Impl;
  // As map(), conditioned until it fits so few bytes, by branches that bounds cut short; nothing
  // when that takes more operations.
  std::optional<Result> narrowly(std::uint64_t bytes, double operations, const FactorGraph& graph,
                                 const Deadline& deadline) const;
  friend Result exact_map(const FactorGraph& graph, const ExactOptions& options,
                          const Evidence& evidence, std::size_t k);
  std::unique_ptr<Impl> impl_;
};

// Plan and solve in one call.
Result exact_marginals(const FactorGraph& graph, const ExactOptions& options = {},
                       const Evidence& evidence = {});
Result exact_map(const FactorGraph& graph, const ExactOptions& options = {},
                 const Evidence& evidence = {}, std::size_t k = 1);

// The cheapest cost found, without solving (for `fgnn info`). The memory limit is that of planning.
ExactCost exact_cost(const FactorGraph& graph, ExactTask task, const ExactOptions& options = {});

}  // namespace fgnn
