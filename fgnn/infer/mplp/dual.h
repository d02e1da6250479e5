// The dual of the LP relaxation and its coordinate steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/bp/group.h"
#include "fgnn/infer/bp/kernels.h"

namespace fgnn::lp {

class Dual {
 public:
  // The graph must outlive the dual. Its states must be pruned: a state that a factor turns out to
  // forbid is removed on the way, but only found when that factor is updated. Throws
  // Error(time_limit) when it cannot be set up before the deadline.
  explicit Dual(const FactorGraph& graph, const Deadline& deadline = {});

  // One exact step on every factor, in order or in reverse, or until the deadline.
  void pass(bool reverse);
  double bound() const;  // infinite where there was no time to find one

  // A variable without states left, or empty.
  const std::string& contradiction() const { return contradiction_; }

  // theta_c(x) - sum_i delta_{ci}(x_i) over the factor's table (the factor's own term before max).
  std::vector<double> reparametrised(FactorId c) const;
  std::span<const double> delta(FactorId c) const;
  std::span<double> delta(FactorId c);
  void refresh();  // beliefs and bound from the deltas

  // log-beliefs b_i, flat as in the graph.
  const std::vector<double>& beliefs() const { return belief_; }

 private:
  enum class Kind : std::uint8_t { pair, budget, general };

  std::uint64_t steps(FactorId c) const { return groups_[place_[c].group].steps; }
  void update(FactorId c);
  void best_pair(const double* n, double* best, const double* table) const;
  void best_budget(std::size_t arity, const double* n, double* best, const double* values);
  void lose(VariableId v, State x);

  const FactorGraph& graph_;
  Deadline deadline_;
  std::vector<bp::Group<double>> groups_;
  struct Place {
    std::uint32_t group, index;
  };
  std::vector<Place> place_;
  std::vector<Kind> kind_;
  std::vector<std::size_t> start_;       // per factor: where its slots start; factors + 1
  std::vector<std::uint32_t> state_of_;  // per slot: place in the beliefs
  std::vector<const double*> numbers_;   // pair: table; budget: values by count
  std::vector<std::vector<double>> owned_;
  std::vector<double> delta_, belief_, unary_;
  std::vector<double> own_term_;  // per factor: max of its reparametrised table, 0 after a step
  std::vector<double> n_, best_;  // scratch
  std::vector<std::pair<double, std::uint32_t>> order_;
  std::vector<double> scan_;
  bp::Workspace<double> workspace_;
  std::string contradiction_;
};

}  // namespace fgnn::lp
