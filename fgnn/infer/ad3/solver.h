// The iterations of AD3 on a restated problem (Martins, Figueiredo, Aguiar, Smith, Xing 2015).
//
// Every factor c has its own copy q_c of its coordinates and a share xi_c of the unary terms, the
// shares of a coordinate adding up to theta. With p the average of the copies, one iteration is
//   q_c  = argmax f_c(q) + <xi_c, q> - step/2 |q - p|^2     (projections.h, active_set.h)
//   p    = average of q_c over the factors at each coordinate
//   xi_c = xi_c - step (q_c - p).
// Pairs and budgets are stepped many at a time (lanes.h); of the others, those whose p and q agreed
// and did not move are skipped. For any shares
//   constant + sum_c max_x [f_c + <xi_c, x>] + sum_v max_x [theta_v - sum_c xi_c](x_v)
// bounds every assignment's score; the last sum vanishes but for rounding, and makes that safe.
#pragma once

#include <memory>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/ad3.h"
#include "fgnn/infer/ad3/active_set.h"
#include "fgnn/infer/ad3/problem.h"
#include "fgnn/infer/result.h"

namespace fgnn::admm {

// Where another run on the same graph, with fewer states left, may start.
struct Warm {
  std::vector<double> shares;  // per edge and state of the graph
  Marginals marginals;
  double step = 0;
};

struct Limits {
  std::size_t iterations = 0;
  double cutoff = kForbidden;  // stop once the bound is no higher than this
  Deadline deadline;
  Control control;  // its observer
};

class Solver {
 public:
  // The problem must have no contradiction.
  Solver(const FactorGraph& graph, const Domains& domains, TableStore& tables,
         const Ad3Options& options, const Warm* warm = nullptr);

  bool feasible() const { return problem_.contradiction.empty(); }
  const std::string& contradiction() const { return problem_.contradiction; }

  // exact: the rounded assignment meets the bound; converged, iteration_limit, time_limit,
  // interrupted. Stopping at the cutoff is `converged`.
  Status run(const Limits& limits);

  double bound() const { return bound_; }
  std::size_t iterations() const { return iterations_; }
  const std::vector<double>& residuals() const { return residuals_; }
  Marginals marginals() const;
  // Every variable in its most likely state, ties going to the lower one.
  std::vector<State> rounded() const;
  Warm warm() const;

 private:
  std::size_t coordinate_of(std::size_t local) const {
    return static_cast<std::size_t>(problem_.at[local]);
  }
  void start(const Warm* warm);
  void start_from(const Warm& warm);
  void balance_shares();
  void solve_loose_variables();

  // False when time ran out before all were done.
  bool factor_steps(TimeCheck& time);
  bool factor_step(std::size_t c, TimeCheck& time);
  void count_factor_step(std::size_t c, std::span<double> a, std::span<double> q);
  void average();
  void share_steps();
  void adapt_step();
  bool proved(const Deadline& deadline);
  double compute_bound(TimeCheck time);
  double best_of_factor(const LocalFactor& f, TimeCheck& time);
  double best_of_group(const LaneGroup& group);
  LaneArrays lane_arrays();

  const FactorGraph& graph_;
  const Domains& domains_;
  const Ad3Options& options_;
  Problem problem_;
  std::vector<ActiveSet> active_sets_;
  std::vector<double> p_, sum_;  // per global coordinate, one more for padding
  std::vector<char> moved_;      // per global coordinate: p changed
  std::vector<double> inverse_degree_;
  std::vector<std::uint32_t> copy_begin_, copy_;  // local coordinates by the global one they copy
  std::vector<double> q_, shares_;                // per local coordinate
  std::vector<double> shift_;                     // per factor: warm start of its projection
  std::vector<char> dirty_;                       // per factor: to be solved again
  std::vector<double> scratch_;
  std::vector<State> states_;
  double step_ = 0, primal_ = 0, dual_ = 0;
  double bound_ = kInfinity;
  std::size_t iterations_ = 0;
  std::vector<double> residuals_;
};

}  // namespace fgnn::admm
