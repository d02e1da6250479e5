#include "fgnn/infer/mplp/dual.h"

#include <algorithm>
#include <cmath>

#include "fgnn/core/budget.h"
#include "fgnn/potentials/table.h"

namespace fgnn::lp {
namespace {

bool all_binary(const std::vector<State>& shape) {
  return std::ranges::all_of(shape, [](State s) { return s == 2; });
}

bool counts_ones(const Counting& counting, std::size_t arity) {
  for (std::size_t j = 0; j < arity; ++j) {
    if (counting.is_chosen(j, 0) || !counting.is_chosen(j, 1)) return false;
  }
  return true;
}

}  // namespace

Dual::Dual(const FactorGraph& graph, const Deadline& deadline)
    : graph_(graph),
      deadline_(deadline),
      groups_(bp::make_groups<double>(graph, bp::Algebra::max, 1.0, deadline_)),
      place_(graph.num_factors()),
      kind_(graph.num_factors(), Kind::general),
      numbers_(graph.num_factors(), nullptr),
      unary_(graph.unaries().begin(), graph.unaries().end()),
      own_term_(graph.num_factors(), 0.0) {
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    for (std::uint32_t f = 0; f < groups_[g].size(); ++f) place_[groups_[g].factors[f]] = {g, f};
  }
  start_.push_back(0);
  std::size_t widest = 0;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    for (VariableId v : graph.scope(c)) {
      for (State x = 0; x < graph.states(v); ++x) {
        state_of_.push_back(static_cast<std::uint32_t>(graph.state_offset(v) + x));
      }
    }
    start_.push_back(state_of_.size());
    widest = std::max(widest, start_[c + 1] - start_[c]);
    const auto shape = graph.shape(c);
    if (!all_binary(shape)) continue;
    const Stored stored = graph.potential(c).stored();
    const Counting* count = stored.counting;
    if (stored.table != nullptr && shape.size() == 2) {
      kind_[c] = Kind::pair;
      numbers_[c] = stored.table->data();
    } else if (count != nullptr && !count->is_parity() && counts_ones(*count, shape.size())) {
      kind_[c] = Kind::budget;
      auto& values = owned_.emplace_back();
      for (std::size_t k = 0; k <= shape.size(); ++k) values.push_back(count->value(k));
      numbers_[c] = values.data();
    }
  }
  delta_.assign(state_of_.size(), 0.0);
  n_.resize(widest);
  best_.resize(widest);
  refresh();
}

std::span<const double> Dual::delta(FactorId c) const {
  return std::span(delta_).subspan(start_[c], start_[c + 1] - start_[c]);
}

std::span<double> Dual::delta(FactorId c) {
  return std::span(delta_).subspan(start_[c], start_[c + 1] - start_[c]);
}

void Dual::refresh() {
  belief_ = unary_;
  for (std::size_t s = 0; s < delta_.size(); ++s) belief_[state_of_[s]] += delta_[s];
  TimeCheck time(deadline_);
  for (FactorId c = 0; c < graph_.num_factors(); ++c) {
    if (time.late(steps(c))) {
      own_term_[c] = kInfinity;  // not known, which makes the bound infinite
      continue;
    }
    // The best of the reparametrised factor: its best score with -delta flowing in.
    const std::size_t width = start_[c + 1] - start_[c];
    for (std::size_t s = 0; s < width; ++s) {
      const bool closed = belief_[state_of_[start_[c] + s]] == kForbidden;
      n_[s] = closed ? kForbidden : -delta_[start_[c] + s];
    }
    bp::best_scores(groups_[place_[c].group], place_[c].index, n_.data(), best_.data(), workspace_);
    double high = kForbidden;
    for (State x = 0; x < graph_.states(graph_.scope(c)[0]); ++x)
      high = std::max(high, n_[x] + best_[x]);
    own_term_[c] = high;
  }
}

double Dual::bound() const {
  double total = graph_.constant();
  for (VariableId v = 0; v < graph_.num_variables(); ++v) {
    const double* b = &belief_[graph_.state_offset(v)];
    total += *std::max_element(b, b + graph_.states(v));
  }
  for (double term : own_term_) total += term;
  return std::isnan(total) ? kInfinity : total;  // some are forbidden, some not known
}

void Dual::lose(VariableId v, State x) {
  unary_[graph_.state_offset(v) + x] = kForbidden;
  belief_[graph_.state_offset(v) + x] = kForbidden;
  const double* b = &belief_[graph_.state_offset(v)];
  if (*std::max_element(b, b + graph_.states(v)) == kForbidden && contradiction_.empty()) {
    contradiction_ = graph_.name(v) + ": its factors leave no state allowed";
  }
}

void Dual::best_pair(const double* n, double* best, const double* t) const {
  best[0] = std::max(t[0] + n[2], t[1] + n[3]);
  best[1] = std::max(t[2] + n[2], t[3] + n[3]);
  best[2] = std::max(t[0] + n[0], t[2] + n[1]);
  best[3] = std::max(t[1] + n[0], t[3] + n[1]);
}

// With the gains g_j = n_j(1) - n_j(0) sorted, the best with count k takes the k largest. With one
// variable forced, the others keep their order: it takes the k largest without it, or those with
// it.
void Dual::best_budget(std::size_t arity, const double* n, double* best, const double* values) {
  double base = 0;
  order_.resize(arity);
  for (std::uint32_t j = 0; j < arity; ++j) {
    base += n[2 * j];
    order_[j] = {n[2 * j + 1] - n[2 * j], j};
  }
  // Insertion sort, largest first: scopes are short.
  for (std::size_t i = 1; i < arity; ++i) {
    const auto item = order_[i];
    std::size_t k = i;
    for (; k > 0 && order_[k - 1].first < item.first; --k) order_[k] = order_[k - 1];
    order_[k] = item;
  }
  // prefix: sum of the i largest gains. For the variable at rank r:
  //   off: max_k f(k) + (k largest of the others); on: gain_r + max_k f(k+1) + (k largest of the
  //   others).
  // Of the others, the k largest are the k largest of all (k <= r), or of all but r (k > r).
  double prefix = 0;
  // low_*[r] = max over k <= r, high_*[r] = max over k > r, with the prefix sums of all variables.
  scan_.resize(4 * (arity + 1));
  double* low_off = scan_.data();
  double* low_on = low_off + arity + 1;
  double* high_off = low_on + arity + 1;
  double* high_on = high_off + arity + 1;
  double best_off = kForbidden, best_on = kForbidden;
  for (std::size_t k = 0; k < arity; ++k) {
    best_off = std::max(best_off, values[k] + prefix);
    best_on = std::max(best_on, values[k + 1] + prefix);
    low_off[k] = best_off;
    low_on[k] = best_on;
    prefix += order_[k].first;
    // k+1 of all variables = k of the others once the variable itself (rank <= k) is left out.
    high_off[k] = values[k] + prefix;
    high_on[k] = values[k + 1] + prefix;
  }
  best_off = best_on = kForbidden;
  for (std::size_t r = arity; r-- > 0;) {
    // k > r of the others: the k+1 largest of all without r.
    const double gain = order_[r].first;
    const double off = std::max(low_off[r], best_off - gain);
    const double on = std::max(low_on[r], best_on - gain);
    const std::uint32_t j = order_[r].second;
    best[2 * j] = off + base - n[2 * j];
    best[2 * j + 1] = on + base - n[2 * j];
    best_off = std::max(best_off, high_off[r]);
    best_on = std::max(best_on, high_on[r]);
  }
}

void Dual::update(FactorId c) {
  const std::size_t begin = start_[c], width = start_[c + 1] - begin;
  bool finite = true;
  for (std::size_t s = 0; s < width; ++s) {
    const double b = belief_[state_of_[begin + s]];
    n_[s] = b == kForbidden ? kForbidden : b - delta_[begin + s];
    finite &= n_[s] != kForbidden;
  }
  if (kind_[c] == Kind::pair) {
    best_pair(n_.data(), best_.data(), numbers_[c]);
  } else if (kind_[c] == Kind::budget && finite) {
    best_budget(width / 2, n_.data(), best_.data(), numbers_[c]);
  } else {
    bp::best_scores(groups_[place_[c].group], place_[c].index, n_.data(), best_.data(), workspace_);
  }
  const double share = 1.0 / static_cast<double>(graph_.arity(c));
  for (std::size_t s = 0; s < width; ++s) {
    if (n_[s] == kForbidden) continue;
    if (best_[s] == kForbidden) {
      const std::uint32_t at = state_of_[begin + s];
      const auto scope = graph_.scope(c);
      const auto owner = std::ranges::find_if(scope, [&](VariableId v) {
        return at >= graph_.state_offset(v) && at < graph_.state_offset(v) + graph_.states(v);
      });
      delta_[begin + s] = 0;
      lose(*owner, at - static_cast<State>(graph_.state_offset(*owner)));
      continue;
    }
    const double equal = (n_[s] + best_[s]) * share;
    delta_[begin + s] = equal - n_[s];
    belief_[state_of_[begin + s]] = equal;
  }
  own_term_[c] = 0;
}

void Dual::pass(bool reverse) {
  const auto factors = static_cast<FactorId>(graph_.num_factors());
  TimeCheck time(deadline_);
  for (FactorId i = 0; i < factors && contradiction_.empty(); ++i) {
    const FactorId c = reverse ? factors - 1 - i : i;
    if (time.late(steps(c))) return;
    update(c);
  }
}

std::vector<double> Dual::reparametrised(FactorId c) const {
  const auto shape = graph_.shape(c);
  std::vector<double> values = expand(graph_, c).values();
  std::vector<State> x(shape.size(), 0);
  for (double& value : values) {
    std::size_t slot = start_[c];
    for (std::size_t j = 0; j < shape.size(); slot += shape[j++]) {
      const bool closed = belief_[state_of_[slot + x[j]]] == kForbidden;
      value = closed ? kForbidden : value - delta_[slot + x[j]];
    }
    next_configuration(shape, x);
  }
  return values;
}

}  // namespace fgnn::lp
