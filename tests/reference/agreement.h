// Whether what a method says of a small graph agrees with enumeration.
//
// The rules hold for every method that is registered, now or later: nothing feasible is called
// infeasible, no score is above the optimum and no bound below it, what is called exact is, what is
// guaranteed on trees holds there, and scores, probabilities and the flag of feasibility are those
// of the graph given the evidence.
#pragma once

#include <optional>
#include <string>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/methods.h"

namespace fgnn::testing {

struct Truth {
  FactorGraph given;      // the graph with its evidence
  Result marginals, map;  // by enumeration; map.solutions has the k best
  bool tree = false;      // no cycles: belief propagation is exact

  bool feasible() const { return map.status != Status::infeasible; }
};

Truth truth_of(const FactorGraph& graph, const Evidence& evidence, std::size_t k);

// What is wrong with the answer; empty when it agrees.
std::string disagreement(const Method& method, const Result& answer, const Truth& truth);

// Solves and compares. No answer at all is an agreement where the method is not made for the graph
// (Error unsupported or too_large); any other error is a disagreement.
struct Verdict {
  std::optional<Status> answered;  // none: not made for the graph
  std::string disagreement;
};
Verdict judge(const Method& method, const FactorGraph& graph, const Evidence& evidence,
              const MethodOptions& options, const Truth& truth);

}  // namespace fgnn::testing
