#include "bench/budget_chain.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fgnn/core/log_math.h"

namespace fgnn::bench {
namespace {

constexpr int kWindow = 9;
constexpr unsigned kBits = kWindow - 1;       // of history that a budget needs
constexpr unsigned kHistories = 1u << kBits;  // newest bit lowest
using Column = std::vector<double>;           // one value per history

// What appending bit x at position i to this history adds to the score.
double step(const synthetic::SyntheticInstance& chain, int i, unsigned history, unsigned x) {
  double score = chain.unary[i][x];
  if (i > 0) score += chain.pairs[i - 1].values[2 * (history & 1) + x];
  const int first = i - kWindow + 1;  // of the window that ends here
  const auto ones = static_cast<std::size_t>(std::popcount(2 * history + x));
  if (first >= 0 && ones > chain.budgets[first].most) return kForbidden;
  return score;
}

unsigned append(unsigned history, unsigned x) { return (2 * history + x) & (kHistories - 1); }

Column start() {
  Column column(kHistories, kForbidden);
  column[0] = 0;  // nothing but zeros before the chain: no window counts them
  return column;
}

}  // namespace

ChainMap plain_map(const synthetic::SyntheticInstance& chain) {
  const auto length = static_cast<int>(chain.unary.size());
  std::vector<std::vector<unsigned>> from(length, std::vector<unsigned>(kHistories));
  Column best = start();
  for (int i = 0; i < length; ++i) {
    Column next(kHistories, kForbidden);
    for (unsigned h = 0; h < kHistories; ++h) {
      for (unsigned x = 0; x < 2 && best[h] != kForbidden; ++x) {
        const double score = best[h] + step(chain, i, h, x);
        if (score <= next[append(h, x)]) continue;
        next[append(h, x)] = score;
        from[i][append(h, x)] = h;
      }
    }
    best = std::move(next);
  }
  auto last = static_cast<unsigned>(std::ranges::max_element(best) - best.begin());
  ChainMap map{std::vector<State>(length), best[last]};
  for (int i = length; i-- > 0; last = from[i][last]) map.assignment[i] = last & 1;
  return map;
}

ChainMarginals plain_marginals(const synthetic::SyntheticInstance& chain) {
  const auto length = static_cast<int>(chain.unary.size());
  std::vector<Column> forward{start()};
  for (int i = 0; i < length; ++i) {
    Column& next = forward.emplace_back(kHistories, kForbidden);
    for (unsigned h = 0; h < kHistories; ++h) {
      for (unsigned x = 0; x < 2; ++x) {
        double& sum = next[append(h, x)];
        sum = log_add(sum, forward[i][h] + step(chain, i, h, x));
      }
    }
  }
  ChainMarginals result{Column(length, 0.0), log_sum_exp(forward.back())};
  Column backward(kHistories, 0.0);
  for (int i = length; i-- > 0;) {
    Column previous(kHistories, kForbidden);
    for (unsigned h = 0; h < kHistories; ++h) {
      for (unsigned x = 0; x < 2; ++x) {
        const double rest = step(chain, i, h, x) + backward[append(h, x)];
        previous[h] = log_add(previous[h], rest);
        if (x == 1) result.one[i] += std::exp(forward[i][h] + rest - result.log_partition);
      }
    }
    backward = std::move(previous);
  }
  return result;
}

}  // namespace fgnn::bench
