#include "fgnn/experiments/synthetic/margins.h"

#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/infer/frontier.h"

namespace fgnn::synthetic {
namespace {

// Far below any score, yet a number: searches may subtract it.
constexpr double kUnwanted = 1e6;

std::vector<double> margins_by_search(const SyntheticInstance& instance,
                                      std::span<const State> best) {
  const double optimum = score(instance, best);
  std::vector<double> all;
  SyntheticInstance turned = instance;
  for (std::size_t v = 0; v < best.size(); ++v) {
    turned.unary[v][best[v]] -= kUnwanted;
    const auto states = exact_labels(turned);
    all.push_back(states[v] == best[v] ? kInfinity : optimum - score(instance, states));
    turned.unary[v] = instance.unary[v];
  }
  return all;
}

}  // namespace

double score(const SyntheticInstance& instance, std::span<const State> states) {
  double sum = 0;
  for (std::size_t v = 0; v < states.size(); ++v) sum += instance.unary[v][states[v]];
  for (const auto& p : instance.pairs) sum += p.values[2 * states[p.first] + states[p.second]];
  return sum;
}

std::vector<double> margins(const SyntheticInstance& instance, std::span<const State> best) {
  if (!suits_frontier(instance)) return margins_by_search(instance, best);
  const auto scores = frontier_max_marginals(instance);
  std::vector<double> all;
  for (std::size_t v = 0; v < best.size(); ++v) {
    all.push_back(scores[v][best[v]] - scores[v][1 - best[v]]);
  }
  return all;
}

}  // namespace fgnn::synthetic
