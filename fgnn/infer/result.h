// What every inference method returns: an answer, what is known of its quality, and how it went.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

enum class Status {
  exact,            // proved: the optimum, or marginals to rounding
  converged,        // a fixed point of an approximate method
  iteration_limit,  // stopped before convergence
  time_limit,
  diverged,    // an approximate method whose messages ran away: its answer means little
  infeasible,  // proved: every assignment is forbidden; no answer
};

std::string_view name(Status status);

// One value per variable and state, flat; row v is variable v.
class Marginals {
 public:
  Marginals() = default;
  explicit Marginals(const FactorGraph& graph);

  bool empty() const { return values_.empty(); }
  std::size_t size() const { return offset_.empty() ? 0 : offset_.size() - 1; }
  std::span<double> operator[](VariableId v) {
    return std::span(values_).subspan(offset_[v], offset_[v + 1] - offset_[v]);
  }
  std::span<const double> operator[](VariableId v) const {
    return std::span(values_).subspan(offset_[v], offset_[v + 1] - offset_[v]);
  }
  std::span<const double> values() const { return values_; }

 private:
  std::vector<std::size_t> offset_;
  std::vector<double> values_;
};

// Log-messages from factors to variables, flat in the order of edges: the states of edge 0, edge 1,
// …. Those of one edge have maximum 0.
class Messages {
 public:
  Messages() = default;
  explicit Messages(const FactorGraph& graph);

  bool empty() const { return offset_.size() < 2; }
  std::span<double> operator[](EdgeId e) {
    return std::span(values_).subspan(offset_[e], offset_[e + 1] - offset_[e]);
  }
  std::span<const double> operator[](EdgeId e) const {
    return std::span(values_).subspan(offset_[e], offset_[e + 1] - offset_[e]);
  }
  std::span<const double> values() const { return values_; }
  bool fits(const FactorGraph& graph) const;

 private:
  std::vector<std::size_t> offset_;
  std::vector<double> values_;
};

struct Solution {
  std::vector<State> assignment;
  double score = kForbidden;
};

// Made complete and checked by finish_map or finish_marginals (finish.h), whoever solved.
struct Result {
  Status status = Status::exact;
  std::string method;
  std::string message;  // why there is no answer, or what to know about it; empty when all is well

  Marginals marginals;                  // of `infer` methods
  std::optional<double> log_partition;  // natural logarithm, where the method gives it

  std::vector<State> assignment;    // of `map` methods
  double score = kForbidden;        // log score of the assignment
  double bound = kInfinity;         // no assignment scores higher
  std::vector<Solution> solutions;  // the k best, best first, when more than one was asked for

  Messages messages;              // of message-passing methods
  std::vector<double> residuals;  // largest change of a message, by iteration

  std::size_t iterations = 0;
  double seconds = 0;
  bool finished = false;  // set by finish_map and finish_marginals alone

  bool feasible() const { return score != kForbidden; }
  double gap() const { return bound - score; }
};

}  // namespace fgnn
