#include "bench/budget_chain.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fgnn/core/log_math.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/table.h"

namespace fgnn::bench {
namespace {

constexpr int kLength = BudgetChain::kLength, kWindow = BudgetChain::kWindow;
constexpr unsigned kBits = kWindow - 1;       // of history that a budget needs
constexpr unsigned kHistories = 1u << kBits;  // newest bit lowest
using Column = std::vector<double>;           // one value per history

// What appending bit x at position i to this history adds to the score.
double step(const BudgetChain& chain, int i, unsigned history, unsigned x) {
  double score = chain.unary[i][x];
  if (i > 0) score += chain.pairwise[i - 1][2 * (history & 1) + x];
  const int first = i - kWindow + 1;  // of the window that ends here
  if (first >= 0 && std::popcount(2 * history + x) > chain.budget[first]) return kForbidden;
  return score;
}

unsigned append(unsigned history, unsigned x) { return (2 * history + x) & (kHistories - 1); }

Column start() {
  Column column(kHistories, kForbidden);
  column[0] = 0;  // nothing but zeros before the chain: no window counts them
  return column;
}

}  // namespace

BudgetChain BudgetChain::random(Rng& rng) {
  BudgetChain chain;
  for (int i = 0; i < kLength; ++i) chain.unary.push_back({rng.uniform(), rng.uniform()});
  for (int i = 0; i + 1 < kLength; ++i) {
    chain.pairwise.push_back({0, 0, 0, rng.uniform(0, 2)});
  }
  for (int i = 0; i + kWindow <= kLength; ++i) {
    chain.budget.push_back(static_cast<int>(1 + rng.below(8)));
  }
  return chain;
}

FactorGraph BudgetChain::graph() const {
  GraphBuilder builder;
  const VariableArray x = builder.variables("x", kLength, 2);
  for (int i = 0; i < kLength; ++i) builder.unary(x[i], unary[i]);
  for (int i = 0; i + 1 < kLength; ++i) {
    builder.factor({x[i], x[i + 1]}, Table({2, 2}, pairwise[i]));
  }
  for (int i = 0; i + kWindow <= kLength; ++i) {
    builder.factor(x.slice(i, i + kWindow), Count::at_most(static_cast<std::size_t>(budget[i])));
  }
  return std::move(builder).build();
}

ChainMap plain_map(const BudgetChain& chain) {
  std::vector<std::vector<unsigned>> from(kLength, std::vector<unsigned>(kHistories));
  Column best = start();
  for (int i = 0; i < kLength; ++i) {
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
  ChainMap map{std::vector<State>(kLength), best[last]};
  for (int i = kLength; i-- > 0; last = from[i][last]) map.assignment[i] = last & 1;
  return map;
}

ChainMarginals plain_marginals(const BudgetChain& chain) {
  std::vector<Column> forward{start()};
  for (int i = 0; i < kLength; ++i) {
    Column& next = forward.emplace_back(kHistories, kForbidden);
    for (unsigned h = 0; h < kHistories; ++h) {
      for (unsigned x = 0; x < 2; ++x) {
        double& sum = next[append(h, x)];
        sum = log_add(sum, forward[i][h] + step(chain, i, h, x));
      }
    }
  }
  ChainMarginals result{Column(kLength, 0.0), log_sum_exp(forward.back())};
  Column backward(kHistories, 0.0);
  for (int i = kLength; i-- > 0;) {
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
