// Several methods on the same graphs, side by side: how good, how often right, how fast.
//
// The exact MAP is the reference where it is feasible: elimination within its memory, on one plan
// for all graphs of one structure, or else a method that proves its answer. Percentages and means
// are over the graphs added. A forbidden assignment is never equal to the optimum and has no score,
// so it counts for `feasible`, `agreement` and `exact_instances`, but not for the gaps and scores.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/methods.h"

namespace fgnn {

struct ComparisonRow {
  std::string method;  // the variant's label
  std::size_t instances = 0;
  std::size_t answered = 0;  // those on which the method was not too large, too slow or unsuited
  std::string status;  // of the only instance; else the share that converged or was proved is below

  std::optional<double> agreement;        // percent of variables in the state of the exact MAP
  std::optional<double> agreement_error;  // standard error of that, over instances
  std::optional<double> exact_instances;  // percent of instances whose score is the optimum
  double feasible = 0;                    // percent of instances with an allowed assignment
  double settled = 0;                     // percent converged or proved
  std::optional<double> score, bound;     // means over feasible ones, and over finite bounds
  std::optional<double> score_gap;        // mean of optimum - score over feasible ones
  std::optional<double> bound_gap;        // mean of bound - optimum over finite bounds
  double iterations = 0;                  // mean
  double microseconds = 0;  // mean; the exact plan is counted only where there is but one graph
};

class Comparison {
 public:
  explicit Comparison(std::vector<MethodVariant> variants);
  ~Comparison();
  Comparison(Comparison&&) noexcept;

  // Runs every method on the graph. Methods that cannot (too large, unsupported, out of time) have
  // no answer on it; other errors are thrown on. A graph on which a method was interrupted is left
  // out, by Error(interrupted).
  void add(const FactorGraph& graph, const Evidence& evidence = {});

  // Brings in what the other ranks have added since the last call, those of rank 0 first.
  void join(cluster::Group& group);

  // Of all that was added here and joined.
  std::vector<ComparisonRow> rows() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fgnn
