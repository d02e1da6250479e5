// Mini-buckets of a graph, ready to be asked: the bound, and what it becomes as variables are
// assigned in the reverse order of elimination. That is what a branch and bound searches with:
//
//   MiniBuckets h(graph, options, Bound::max, budget);
//   double bound = h.bound();                      // nothing is assigned: the root
//   for (Place p = h.size(); p-- > 0;) {           // places n-1, n-2, ..., 0
//     h.step(p, x, change);                        // change[s] for every state s of place p
//     x[p] = the best s;  bound += change[x[p]];   // still an upper bound of what can follow
//   }
//   h.assignment(x)                                // states of the variables of the graph
//
// In the end the bound is the score, but for factors that were left out (relaxed()). step() reads
// x at later places alone and costs the functions of one bucket; it changes nothing, so threads may
// share one object. A change is never above zero but for rounding (for Bound::max), and kForbidden
// where the state cannot be.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/mini_bucket.h"
#include "fgnn/infer/minibucket/pass.h"

namespace fgnn::minibucket {

class MiniBuckets {
 public:
  // Places, orders, tables and messages. Throws Error(too_large) before what the budget does not
  // allow is allocated, Error(time_limit) once its deadline has passed. The budget must outlive it.
  MiniBuckets(const FactorGraph& given, const MiniBucketOptions& options, Bound bound,
              Budget& budget);
  MiniBuckets(const MiniBuckets&) = delete;
  MiniBuckets& operator=(const MiniBuckets&) = delete;

  // Why nothing is allowed, where that showed at once: then there is nothing to ask.
  const std::string& contradiction() const { return model_.domains.contradiction; }

  std::size_t size() const { return scheme_.order.size(); }
  State states(Place p) const { return scheme_.states[p]; }
  // The variable of the graph; none for one that stands for a part of a structured factor.
  std::optional<VariableId> variable(Place p) const;
  // The state of the graph's variable that state s of the place is.
  State state(Place p, State s) const;
  Place place(VariableId v) const;  // kNone: it has one state left

  double bound() const { return bound_; }
  bool exact() const { return scheme_.split == 0 && model_.relaxed == 0; }
  std::size_t relaxed() const { return model_.relaxed; }
  const Scheme& scheme() const { return scheme_; }
  const Restated& model() const { return model_; }
  const Pass& pass() const { return *pass_; }

  void step(Place p, std::span<const State> x, std::span<double> change) const;
  // The bound of all places before p given the states of p, p + 1, ...: bound() and the changes
  // down to p, less the scores of the functions on places from p on alone. For tests: step() is
  // cheaper.
  double rest(Place p, std::span<const State> x) const;

  // Takes the best state at every place in turn.
  std::vector<State> greedy() const;
  std::vector<State> assignment(std::span<const State> x) const;

  // Another pass on the same functions, such as a lower bound.
  Pass pass_of(PassOptions options) const {
    return {scheme_, functions_, std::move(options), *budget_};
  }
  double constant(Bound bound) const;  // what is in no pass

 private:
  struct Term {
    const std::vector<double>* values;
    std::span<const Place> scope;  // all axes of the table
    std::vector<std::size_t> strides;
    double at(std::span<const State> x) const {
      std::size_t entry = 0;
      for (std::size_t i = 0; i < strides.size(); ++i) entry += strides[i] * x[scope[i]];
      return (*values)[entry];
    }
  };
  Term term(const std::vector<double>& values, std::span<const Place> scope) const;
  void list_terms();

  Budget* budget_;
  Hold hold_;
  Restated model_;
  Scheme scheme_;
  std::vector<Function> functions_;
  std::unique_ptr<Pass> pass_;
  std::vector<std::vector<Term>> in_;    // by place: functions and messages of its bucket
  std::vector<std::vector<Term>> sent_;  // by place: its messages, unless they are numbers
  std::vector<double> numbers_;          // by place: the sum of those that are
  double bound_ = kForbidden;
};

}  // namespace fgnn::minibucket
