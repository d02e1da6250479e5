// The quadratic step of AD3 for any factor, from an oracle for its best joint state:
//   minimise  1/2 |q - a|^2 - sum_v w_v theta_v / step,   q = sum_v w_v v,  w >= 0,  sum w = 1,
// where v runs over the factor's joint states as 0/1 vectors. Active set method (Martins et al.
// 2015, section 6): few joint states have weight; solve for those alone, drop what turns negative,
// ask the oracle for a state that would improve, until there is none. The joint states are kept
// from one call to the next, where usually nothing but the weights changes.
//
// Cost: one oracle call per change of the set, and its size cubed at worst; the states in the set
// are affinely independent, so there are at most coordinates + 1.
#pragma once

#include <span>
#include <vector>

#include "fgnn/infer/ad3/oracle.h"

namespace fgnn::admm {

class ActiveSet {
 public:
  explicit ActiveSet(Oracle& oracle);

  // q receives the solution. The oracle must have an allowed joint state. False when time is over
  // before there is one; the set is of no use from then on.
  bool solve(std::span<const double> a, double step, std::span<double> q, TimeCheck& time);

 private:
  std::size_t size() const { return own_.size(); }
  std::span<const State> vertex(std::size_t i) const {
    return std::span(vertices_).subspan(i * oracle_.layout().arity(), oracle_.layout().arity());
  }
  double inner(std::span<const State> x, std::span<const State> y) const;
  void point(std::span<double> q) const;
  void solve_weights(std::span<const double> a, double step);
  bool shift_weights(TimeCheck& time);
  bool insert(double own, TimeCheck& time);
  bool append_row(std::span<const State> x);
  void lower_solve(std::span<double> b) const;
  void upper_solve(std::span<double> b) const;
  void remove(std::size_t i, TimeCheck& time);
  void factorise(std::size_t from, TimeCheck& time);
  double* row(std::size_t i) { return lower_.data() + i * (i + 1) / 2; }
  const double* row(std::size_t i) const { return lower_.data() + i * (i + 1) / 2; }

  Oracle& oracle_;
  std::vector<State> vertices_, candidate_;
  std::vector<double> own_;      // log-potentials of the vertices
  std::vector<double> weights_;  // w
  std::vector<double> target_;   // w that the equations alone would give
  std::vector<double> lower_;    // Cholesky factor of <v, v'> + 1, packed by rows
  std::vector<double> ones_, scores_, column_;
};

}  // namespace fgnn::admm
