// A graph restated for branch and bound: costs that are to be small, in tables over few variables.
//
//   cost(x) = base + sum_i u_i(x_i) + sum_f t_f(x_f) = -score(x),   all u and t >= 0, min 0 each.
//
// Variables with one state left are gone, tables over the same variables are one, and those over
// some of another table's variables are added to it. Variables with few neighbours are eliminated
// (costs/reduce.h); decode() finds their states. Infinite costs are forbidden.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/costs/functions.h"
#include "fgnn/infer/costs/reduce.h"
#include "fgnn/infer/domains.h"

namespace fgnn::costs {

struct NetworkOptions {
  std::uint64_t most_entries = std::uint64_t{1} << 22;  // of one table
  ReduceOptions reduce;
};

class Network {
 public:
  // Throws Error(unsupported) where a factor's table would be too large, Error(too_large) beyond
  // the budget's memory, and Error(time_limit).
  Network(const FactorGraph& graph, const Domains& domains, Budget& budget,
          const NetworkOptions& options = {});

  std::size_t size() const { return costs_.unary.size(); }
  // Empty for a variable that was eliminated.
  const std::vector<double>& unary(Id v) const { return costs_.unary[v]; }
  const std::vector<Function>& functions() const { return costs_.functions; }
  double base() const { return costs_.base; }  // infinite: nothing is allowed

  // The variables that functions join, directly or not: the sets, the smallest first.
  std::vector<std::vector<Id>> components() const;

  // States of all variables of the graph, given those of the network's (any for eliminated ones).
  std::vector<State> decode(std::vector<std::uint32_t> states) const;
  // The network's states for an assignment of the graph; false where one of them was pruned.
  bool encode(std::span<const State> assignment, std::vector<std::uint32_t>& states) const;

 private:
  void read(const FactorGraph& graph, const Domains& domains, Budget& budget,
            const NetworkOptions& options);

  std::vector<VariableId> original_;        // by variable here
  std::vector<std::vector<State>> states_;  // by variable here: its states in the graph
  std::vector<State> only_;                 // by variable of the graph: its state when decided
  Functions costs_;
  std::vector<Eliminated> eliminated_;
};

}  // namespace fgnn::costs
