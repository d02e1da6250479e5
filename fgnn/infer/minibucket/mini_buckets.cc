#include "fgnn/infer/minibucket/mini_buckets.h"

#include <algorithm>
#include <utility>

namespace fgnn::minibucket {

MiniBuckets::MiniBuckets(const FactorGraph& given, const MiniBucketOptions& options, Bound bound,
                         Budget& budget)
    : budget_(&budget), hold_(budget) {
  const auto task = bound == Bound::max ? ExactTask::map : ExactTask::marginals;
  model_ = restate(given, task, options.ibound, true, budget);
  if (!contradiction().empty()) return;
  scheme_ = make_scheme(model_, options.ibound, options.orders, options.seed, budget);
  hold_.take(function_bytes(model_, scheme_) + pass_bytes(scheme_));
  functions_ = functions(model_, scheme_, budget);
  pass_ = std::make_unique<Pass>(scheme_, functions_,
                                 PassOptions{.bound = bound,
                                             .weighted = options.weights == BucketWeights::equal,
                                             .shift = options.shift},
                                 budget);
  bound_ = pass_->total() + constant(bound);
  list_terms();
}

double MiniBuckets::constant(Bound bound) const {
  return bound == Bound::below ? model_.left_out.low : model_.left_out.high;
}

MiniBuckets::Term MiniBuckets::term(const std::vector<double>& values,
                                    std::span<const Place> scope) const {
  Term term{&values, scope, std::vector<std::size_t>(scope.size())};
  std::size_t stride = 1;
  for (std::size_t i = scope.size(); i-- > 0;) {
    term.strides[i] = stride;
    stride *= scheme_.states[scope[i]];
  }
  return term;
}

void MiniBuckets::list_terms() {
  in_.resize(size());
  sent_.resize(size());
  numbers_.assign(size(), 0.0);
  for (const Function& f : functions_) {
    if (!f.scope.empty()) in_[f.scope.front()].push_back(term(f.values, f.scope));
  }
  for (std::uint32_t r = 0; r < scheme_.parts.size(); ++r) {
    const Part& part = scheme_.parts[r];
    const std::vector<double>& message = pass_->message(r);
    if (part.receiver == kNone) {
      numbers_[part.scope.front()] += message[0];
      continue;
    }
    const std::span<const Place> scope = std::span<const Place>(part.scope).subspan(1);
    sent_[part.scope.front()].push_back(term(message, scope));
    in_[scope.front()].push_back(term(message, scope));
  }
}

std::optional<VariableId> MiniBuckets::variable(Place p) const {
  const VariableId v = model_.problem.variables[scheme_.order[p]].original;
  return v == exact::kExtra ? std::nullopt : std::optional(v);
}

State MiniBuckets::state(Place p, State s) const {
  const auto v = variable(p);
  return v ? model_.domains.allowed[*v][s] : s;
}

Place MiniBuckets::place(VariableId v) const {
  const auto id = model_.problem.of[v];
  return id ? scheme_.place[*id] : kNone;
}

void MiniBuckets::step(Place p, std::span<const State> x, std::span<double> change) const {
  double before = numbers_[p];
  for (const Term& t : sent_[p]) before += t.at(x);
  for (State s = 0; s < states(p); ++s) change[s] = before == kForbidden ? kForbidden : -before;
  for (const Term& t : in_[p]) {
    std::size_t entry = 0;
    for (std::size_t i = 1; i < t.strides.size(); ++i) entry += t.strides[i] * x[t.scope[i]];
    for (State s = 0; s < states(p); ++s) change[s] += (*t.values)[entry + s * t.strides[0]];
  }
}

double MiniBuckets::rest(Place p, std::span<const State> x) const {
  double total = 0;
  for (Place q = 0; q < p; ++q) {
    total += numbers_[q];
    for (const Term& t : sent_[q]) {
      if (t.scope.front() >= p) total += t.at(x);
    }
  }
  return total;
}

std::vector<State> MiniBuckets::greedy() const {
  std::vector<State> x(size(), 0);
  std::vector<double> change;
  for (Place p = static_cast<Place>(size()); p-- > 0;) {
    change.resize(states(p));
    step(p, x, change);
    x[p] = static_cast<State>(std::ranges::max_element(change) - change.begin());
  }
  return x;
}

std::vector<State> MiniBuckets::assignment(std::span<const State> x) const {
  std::vector<State> result = model_.problem.only_state;
  for (Place p = 0; p < size(); ++p) {
    if (const auto v = variable(p)) result[*v] = state(p, x[p]);
  }
  return result;
}

}  // namespace fgnn::minibucket
