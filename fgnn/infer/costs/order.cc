#include "fgnn/infer/costs/order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fgnn/infer/exact/order.h"

namespace fgnn::costs {

std::vector<std::uint32_t> elimination_rank(const Network& network, const Deadline& deadline) {
  constexpr double kSeconds = 1;
  std::vector<double> log2_states;
  for (Id v = 0; v < network.size(); ++v) {
    log2_states.push_back(
        std::log2(static_cast<double>(std::max<std::size_t>(1, network.unary(v).size()))));
  }
  exact::InteractionGraph graph(std::move(log2_states));
  for (const Function& function : network.functions()) graph.join(function.scope);
  graph.finish();
  const Deadline soon(std::min(kSeconds, std::max(deadline.remaining(), 1e-3)));
  const auto order =
      exact::play(std::move(graph), exact::Rule::min_fill, nullptr, {.deadline = soon});
  std::vector<std::uint32_t> rank(network.size());
  std::iota(rank.begin(), rank.end(), 0u);
  // An order that was given up has the variables that were found; the others come behind.
  std::vector<char> placed(network.size(), 0);
  std::uint32_t next = 0;
  for (std::uint32_t v : order.sequence) {
    rank[v] = next++;
    placed[v] = 1;
  }
  for (Id v = 0; v < network.size(); ++v) {
    if (!placed[v]) rank[v] = next++;
  }
  return rank;
}

}  // namespace fgnn::costs
