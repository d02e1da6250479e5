// One chain of annealed importance sampling that goes on by Gibbs sampling (fgnn/infer/gibbs.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// What a chain has found.
struct ChainRecord {
  bool annealed = false;           // came to the end of annealing in time
  double log_weight = kForbidden;  // of Z / Z_0
  double best_score = kForbidden;  // of an allowed assignment
  std::size_t samples = 0;         // passes that drew allowed assignments throughout
  // By variable and state: sums over those passes of the distributions drawn from, and of squares.
  std::vector<double> sum, squares;
};

class Chain {
 public:
  // The graph must outlive this.
  Chain(const FactorGraph& graph, std::uint64_t seed, std::uint64_t number);
  static std::uint64_t bytes(const FactorGraph& graph);

  // So many passes of annealing and so many after it, or until the deadline.
  ChainRecord run(std::size_t sweeps, const Deadline& deadline);

 private:
  double value(FactorId c) const;  // of the present states
  void weigh(VariableId v, double beta, double penalty);
  void draw(VariableId v);
  void move(VariableId v, State x);
  bool sweep(double beta, double penalty, const Deadline& deadline);
  bool sample(ChainRecord& record, const Deadline& deadline);
  double factors(double beta, double penalty) const;
  double score() const;

  const FactorGraph& graph_;
  Rng rng_;
  std::vector<State> x_;
  std::vector<const double*> table_;  // by factor; null: its score is asked for
  std::vector<std::size_t> entry_;    // by factor: where its table is
  std::vector<std::size_t> stride_;   // by edge
  std::vector<double> weight_;        // scratch: distribution of one variable
  std::vector<double> pass_;          // those of a pass, by variable and state
  mutable std::vector<State> scope_;  // scratch
};

}  // namespace fgnn
