#include "fgnn/infer/exact/counter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>

#include "fgnn/potentials/potentials.h"

namespace fgnn::exact {
namespace {

Automaton of_count(const Count& count, std::size_t n) {
  Automaton a;
  const auto top = static_cast<std::uint32_t>(std::min(count.saturation(), n));
  for (std::size_t i = 0; i + 1 < n; ++i) {
    a.states.push_back(std::min<std::uint32_t>(static_cast<std::uint32_t>(i) + 1, top) + 1);
  }
  const auto step = [count, top](std::size_t i, std::uint32_t state, State x) {
    return std::min<std::uint32_t>(state + count.is_chosen(i, x), top);
  };
  a.next = step;
  a.finish = [count, step, n](std::uint32_t state, State x) {
    return count.value(step(n - 1, state, x));
  };
  return a;
}

Automaton of_parity(const Parity& parity, std::size_t n) {
  Automaton a;
  a.states.assign(n - 1, 2);
  a.next = [](std::size_t, std::uint32_t state, State x) { return state ^ x; };
  a.finish = [odd = parity.odd()](std::uint32_t state, State x) {
    return ((state ^ x) != 0) == odd ? 0.0 : kForbidden;
  };
  return a;
}

// The state is the set of values used so far; sets are numbered by size.
std::optional<Automaton> of_all_different(Shape shape) {
  const std::size_t n = shape.size();
  const State d = *std::ranges::max_element(shape);
  if (d > 12) return std::nullopt;
  auto number = std::make_shared<std::vector<std::uint32_t>>(std::size_t{1} << d);
  std::vector<std::uint32_t> used(d + 1, 0);
  auto sets = std::make_shared<std::vector<std::vector<std::uint32_t>>>(d + 1);
  for (std::uint32_t set = 0; set < (1u << d); ++set) {
    const auto size = static_cast<std::size_t>(std::popcount(set));
    (*number)[set] = used[size]++;
    (*sets)[size].push_back(set);
  }
  Automaton a;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    a.states.push_back(i + 1 <= d ? used[i + 1] : 1);  // beyond d values nothing is allowed
  }
  a.next = [number, sets, d](std::size_t i, std::uint32_t state, State x) {
    if (i >= d) return Automaton::kDead;
    const std::uint32_t set = (*sets)[i][state];
    return set >> x & 1 ? Automaton::kDead : (*number)[set | 1u << x];
  };
  a.finish = [next = a.next, n](std::uint32_t state, State x) {
    return next(n - 1, state, x) == Automaton::kDead ? kForbidden : 0.0;
  };
  return a;
}

Star of_low_rank(const LowRank& p) {
  Star s;
  for (double lambda : p.lambda()) s.log_weight.push_back(p.log_scale() + std::log(lambda));
  for (std::size_t j = 0; j < p.shape().size(); ++j) {
    auto& weights = s.log_weights.emplace_back();
    for (double w : p.weights(j)) weights.push_back(std::log(w));
  }
  return s;
}

Star of_max_rank_one(const MaxRankOne& p) {
  Star s;
  s.log_weight.assign(p.size(), 0.0);
  std::size_t offset = 0;
  for (State states : p.shape()) {
    auto& weights = s.log_weights.emplace_back();
    for (State x = 0; x < states; ++x) {
      for (std::size_t z = 0; z < p.size(); ++z) weights.push_back(p.term(z)[offset + x]);
    }
    offset += states;
  }
  return s;
}

Star of_sparse(const Sparse& p) {
  Star s;
  for (std::size_t z = 0; z < p.size(); ++z) s.log_weight.push_back(p.value(z));
  for (std::size_t j = 0; j < p.shape().size(); ++j) {
    auto& weights = s.log_weights.emplace_back();
    for (State x = 0; x < p.shape()[j]; ++x) {
      for (std::size_t z = 0; z < p.size(); ++z) {
        weights.push_back(p.row(z)[j] == x ? 0.0 : kForbidden);
      }
    }
  }
  return s;
}

}  // namespace

std::optional<Automaton> automaton(const Potential& potential, Shape shape) {
  if (shape.size() < 2) return std::nullopt;
  if (const auto* count = dynamic_cast<const Count*>(&potential)) {
    return of_count(*count, shape.size());
  }
  if (const auto* parity = dynamic_cast<const Parity*>(&potential)) {
    return of_parity(*parity, shape.size());
  }
  if (dynamic_cast<const AllDifferent*>(&potential)) return of_all_different(shape);
  return std::nullopt;
}

std::optional<Star> star(const Potential& potential, Shape shape, ExactTask task) {
  if (shape.size() < 2) return std::nullopt;
  if (const auto* p = dynamic_cast<const LowRank*>(&potential)) {
    const bool fits = task == ExactTask::marginals && p->rank() > 0 && p->non_negative();
    return fits ? std::optional(of_low_rank(*p)) : std::nullopt;
  }
  if (const auto* p = dynamic_cast<const MaxRankOne*>(&potential)) {
    // Several terms may reach the maximum: the k best would list an assignment more than once.
    const bool fits = task == ExactTask::map && p->size() > 0;
    return fits ? std::optional(of_max_rank_one(*p)) : std::nullopt;
  }
  if (const auto* p = dynamic_cast<const Sparse*>(&potential)) {
    const bool fits = p->otherwise() == kForbidden && p->size() > 0;
    return fits ? std::optional(of_sparse(*p)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace fgnn::exact
