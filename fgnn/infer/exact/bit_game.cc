#include "fgnn/infer/exact/bit_game.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fgnn/core/budget.h"

namespace fgnn::exact {
namespace {

// Weights are whole numbers, so that sums which grow and shrink stay exact.
constexpr double kCoarse = 16;      // of a state's logarithm, for products of two
constexpr double kFine = 1 << 20;   // for sums
constexpr std::size_t kStep = 256;  // time of an elimination, in words, beside what it joins
constexpr std::size_t kMostPool = 16;
constexpr std::int64_t kFar = std::int64_t{1} << 50;  // above all sums of weights

// Calls body(i) for every bit of `word`, the first being number `base`.
template <class Body>
void for_bits(std::uint64_t word, std::size_t base, Body body) {
  for (; word != 0; word &= word - 1) {
    body(static_cast<std::uint32_t>(base + static_cast<std::size_t>(std::countr_zero(word))));
  }
}

}  // namespace

BitGame::BitGame(const InteractionGraph& graph)
    : graph_(graph),
      n_(graph.neighbours.size()),
      words_((n_ + 63) / 64),
      start_rows_(n_ * words_, 0),
      fine_(graph.log2_states) {
  for (Id v = 0; v < n_; ++v) {
    for (Id u : graph.neighbours[v]) start_rows_[v * words_ + u / 64] |= Word{1} << (u % 64);
  }
}

void BitGame::start(Rule rule) {
  rule_ = rule;
  order_ = {};
  order_.sequence.reserve(n_);
  rows_ = start_rows_;
  weight_.assign(n_, 1);
  for (Id v = 0; v < n_; ++v) {
    if (rule == Rule::weighted_min_fill) {
      weight_[v] = std::max<std::int64_t>(1, std::llround(kCoarse * fine_[v]));
    } else if (rule == Rule::min_weight || rule == Rule::growing) {
      weight_[v] = std::llround(kFine * fine_[v]);
    }
  }
  around_.assign(n_, 0);
  score_.assign(n_, 0);
  left_.resize(n_);
  for (Id v = 0; v < n_; ++v) {
    left_[v] = v;
    for (Id u : graph_.neighbours[v]) around_[v] += weight_[u];
  }
  far_.assign(n_, rule == Rule::growing);
  if (rule != Rule::min_fill && rule != Rule::weighted_min_fill) {
    for (Id v = 0; v < n_; ++v) score_[v] = weight_[v] + around_[v] + (far_[v] ? kFar : 0);
    return;
  }
  for (Id v = 0; v < n_; ++v) {
    std::int64_t twice = 0;  // every pair of neighbours is met from both sides
    for (Id u : graph_.neighbours[v]) {
      std::int64_t common = 0;
      for (std::size_t k = 0; k < words_; ++k) {
        const Word both = row(v)[k] & row(u)[k];
        for_bits(both, 64 * k, [&](Id w) { common += weight_[w]; });
      }
      twice += weight_[u] * (around_[v] - weight_[u] - common);
    }
    score_[v] = twice / 2;
    order_.work += static_cast<double>(words_ * graph_.neighbours[v].size());
  }
}

// Where the next one stands among those that are left.
std::size_t BitGame::choose(std::size_t pool, Rng* rng) {
  order_.work += static_cast<double>(left_.size()) / 2;
  std::size_t at = 0;
  if (pool < 2 || rng == nullptr) {
    std::uint64_t ties = 1;
    for (std::size_t i = 1; i < left_.size(); ++i) {
      const std::int64_t mine = score_[left_[i]], least = score_[left_[at]];
      if (mine > least) continue;
      if (mine < least) {
        at = i;
        ties = 1;
      } else if (rng == nullptr ? left_[i] < left_[at] : rng->below(++ties) == 0) {
        at = i;
      }
    }
    return at;
  }
  best_.clear();
  pool = std::min(pool, kMostPool);
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const std::int64_t mine = score_[left_[i]];
    if (best_.size() == pool && mine >= best_.back().first) continue;
    if (best_.size() == pool) best_.pop_back();
    const auto place = std::upper_bound(best_.begin(), best_.end(), std::pair(mine, left_.size()));
    best_.insert(place, {mine, i});
  }
  if (best_.front().first == 0) return best_.front().second;  // nothing can be better
  const std::uint64_t bits = (*rng)();
  const auto rank = static_cast<std::size_t>(std::countr_zero(bits));
  return best_[std::min(rank, best_.size() - 1)].second;
}

// Joins two neighbours of the variable that is being eliminated.
void BitGame::join(Id a, Id b) {
  Word *of_a = row(a), *of_b = row(b);
  if (rule_ == Rule::min_fill || rule_ == Rule::weighted_min_fill) {
    const std::int64_t pair = weight_[a] * weight_[b];
    std::int64_t common = 0;
    for (std::size_t k = 0; k < words_; ++k) {
      for_bits(of_a[k] & of_b[k], 64 * k, [&](Id w) {
        common += weight_[w];
        score_[w] -= pair;
      });
    }
    score_[a] += weight_[b] * (around_[a] - common);
    score_[b] += weight_[a] * (around_[b] - common);
    order_.work += static_cast<double>(2 * words_);
  } else {
    score_[a] += weight_[b];
    score_[b] += weight_[a];
  }
  around_[a] += weight_[b];
  around_[b] += weight_[a];
  of_a[b / 64] |= Word{1} << (b % 64);
  of_b[a / 64] |= Word{1} << (a % 64);
}

// Removes a variable whose neighbours are joined.
void BitGame::take_leave(Id v) {
  const bool by_fill = rule_ == Rule::min_fill || rule_ == Rule::weighted_min_fill;
  for (Id u : neighbours_) {
    if (by_fill) {  // pairs of v and those neighbours of u that are none of v
      const std::int64_t apart = around_[u] - weight_[v] - (around_[v] - weight_[u]);
      score_[u] -= weight_[v] * apart;
    } else {
      score_[u] -= weight_[v];
    }
    if (far_[u]) score_[u] -= kFar;
    far_[u] = 0;
    around_[u] -= weight_[v];
    row(u)[v / 64] &= ~(Word{1} << (v % 64));
  }
}

bool BitGame::eliminate(Id v, const Limits& limits, TimeCheck& time) {
  neighbours_.clear();
  double separator = 0;
  for (std::size_t k = 0; k < words_; ++k) {
    for_bits(row(v)[k], 64 * k, [&](Id u) {
      neighbours_.push_back(u);
      separator += fine_[u];
    });
  }
  const double clique = separator + fine_[v], before = order_.work;
  order_.width = std::max(order_.width, neighbours_.size());
  order_.log2_largest = std::max(order_.log2_largest, clique);
  order_.operations += std::exp2(clique);
  order_.message_entries += std::exp2(separator);
  order_.sequence.push_back(v);
  if (clique > limits.hopeless || order_.operations > limits.operations) return false;
  for (Id a : neighbours_) {
    for (std::size_t k = a / 64; k < words_; ++k) {
      Word lacking = row(v)[k] & ~row(a)[k];
      if (k == a / 64) lacking &= ~Word{1} << (a % 64);  // those after a
      for_bits(lacking, 64 * k, [&](Id b) { join(a, b); });
    }
  }
  take_leave(v);
  order_.work += static_cast<double>(words_ * (1 + neighbours_.size()) / 2);
  return !time.late(kStep + static_cast<std::size_t>(order_.work - before));
}

Order BitGame::play(Rule rule, std::size_t pool, Rng* rng, const Limits& limits) {
  start(rule);
  TimeCheck time(limits.deadline);
  if (rng != nullptr) rng->shuffle(left_);
  while (!left_.empty()) {
    const std::size_t at = choose(pool, rng);
    const Id v = left_[at];
    if (!eliminate(v, limits, time)) {
      order_.complete = false;
      break;
    }
    left_[at] = left_.back();
    left_.pop_back();
  }
  return std::move(order_);
}

Order BitGame::follow(const std::vector<Id>& sequence, const Limits& limits) {
  start(Rule::min_weight);
  TimeCheck time(limits.deadline);
  for (Id v : sequence) {
    if (!eliminate(v, limits, time)) {
      order_.complete = false;
      break;
    }
  }
  return std::move(order_);
}

}  // namespace fgnn::exact
