// Grows maximal rank-1 lower bounds of a table: the inner loop of fgnn/decompose/max_rank_one.h.
#pragma once

#include <span>
#include <vector>

#include "fgnn/potentials/table.h"

namespace fgnn {

class LowerBound {
 public:
  // Bounds are at most the table's finite values plus `slack`; differences below `rounding` are
  // none. Keeps a reference to the table.
  LowerBound(const Table& table, double slack, double rounding);

  // The weights (variable 0's states, then variable 1's, …) of a maximal bound that touches the
  // joint state `start`, in preference also others that are `open`.
  std::vector<double> grow(std::size_t start, std::span<const char> open);

  // The bound with these weights, joint state by joint state.
  std::vector<double> values(std::span<const double> weights) const;

 private:
  // A state that may still join the bound.
  struct Candidate {
    std::size_t variable = 0;
    State state = 0;
    double weight = kInfinity;  // the largest that fits what has joined so far
    std::size_t open = 0;       // open entries that this weight touches
    std::size_t votes = 0;      // rows of the table that agree with it
  };

  State state_of(std::size_t index, std::size_t j) const {
    return static_cast<State>(index / stride_[j] % table_.shape()[j]);
  }
  std::size_t votes(std::size_t start, std::size_t j, State s) const;
  void join(std::size_t j, State s, double weight);
  // Accounts for the joint states of the bound that have state `s` of variable `j`.
  void narrow(Candidate& candidate, std::size_t j, State s, std::span<const char> open) const;

  const Table& table_;
  double slack_, rounding_;
  std::vector<std::size_t> stride_, offset_;  // of a variable in the table, and in the weights
  std::vector<double> weights_;
  std::vector<std::vector<State>> joined_;
};

}  // namespace fgnn
