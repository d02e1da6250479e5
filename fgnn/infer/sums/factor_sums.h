// Sums over the joint states of one factor, whatever its kind, in logarithms:
//
//   messages      out[s] = log sum_{x: slot s} exp( theta_c(x) / T + sum_{j not of s} in_j(x_j) )
//   expectations  out[x] = E[ theta_c | x_i = x ] with the other variables independent, of
//                 probabilities q; kForbidden where a forbidden joint state has a share
//
// The slots of a factor are the states of its variables, one variable after another. A small or
// stored table is visited as it is, n d^n steps; a potential with a machine (fgnn/graph/views.h) is
// walked forwards and backwards along its states, of which each joint state takes one way.
// Everything else becomes a table, or is Error(too_large).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/table_store.h"

namespace fgnn {

class FactorSums {
 public:
  // The graph must outlive this. Counts what it makes, throws Error(time_limit).
  FactorSums(const FactorGraph& graph, Budget& budget);

  std::size_t slots(FactorId c) const { return forms_[c].slots; }
  std::uint64_t steps(FactorId c) const { return forms_[c].steps; }

  // States with in = kForbidden are left out. Not for several threads at once: scratch is shared.
  void messages(FactorId c, double temperature, const double* in, double* out);
  void expectations(FactorId c, std::size_t position, const double* q, double* out);

 private:
  struct Move {  // from one state of the machine to the next by reading a slot
    std::uint32_t from, slot, to;
    double value;
  };
  struct Walk {
    std::vector<std::vector<Move>> moves;  // by position
    std::vector<std::size_t> states;       // before each position, and 1 behind the last
    std::vector<std::uint32_t> slot;       // first of each position, and the end
  };
  struct Form {
    std::span<const double> table;
    const Walk* walk = nullptr;
    std::size_t slots = 0;
    std::uint64_t steps = 0;
  };

  const Walk* walk_of(FactorId c, Budget& budget);
  void table_messages(FactorId c, double power, const double* in, double* out);
  void exact_slots(FactorId c, const double* in, double* out);
  void walk_messages(const Walk& walk, double power, const double* in, double* out);
  void table_expectations(FactorId c, std::size_t position, const double* q, double* out);
  void walk_expectations(const Walk& walk, std::size_t position, const double* q, double* out);

  const FactorGraph& graph_;
  TableStore tables_;
  std::map<std::pair<std::uint32_t, std::vector<State>>, std::unique_ptr<Walk>> walks_;
  std::vector<Form> forms_;
  std::vector<double> total_, high_, sum_;  // scratch
};

}  // namespace fgnn
