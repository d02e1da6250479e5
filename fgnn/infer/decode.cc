#include "fgnn/infer/decode.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <type_traits>

#include "fgnn/core/budget.h"
#include "fgnn/infer/bp/engine.h"

namespace fgnn {

std::vector<State> decode_each(const FactorGraph& graph, const Marginals& log_beliefs) {
  std::vector<State> x(graph.num_variables());
  for (VariableId v = 0; v < x.size(); ++v) {
    const auto b = log_beliefs[v];
    x[v] = static_cast<State>(std::max_element(b.begin(), b.end()) - b.begin());
  }
  return x;
}

std::vector<State> decode_in_turn(const FactorGraph& graph, const Messages& messages,
                                  const Deadline& deadline) {
  const std::size_t n = graph.num_variables();
  bp::Engine<double> engine(graph, bp::Algebra::max, 1.0, 0.0, 1, deadline);
  engine.start(&messages);
  // Variables next to fixed ones come first, so that on a tree every choice is made given its
  // neighbour's; among them the surest. Entries are queued again when their margin changes.
  using Entry = std::tuple<bool, double, VariableId>;
  const auto before = [](const Entry& a, const Entry& b) {
    if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(b);
    if (std::get<1>(a) != std::get<1>(b)) return std::get<1>(a) < std::get<1>(b);
    return std::get<2>(a) > std::get<2>(b);
  };
  using Order = std::remove_const_t<decltype(before)>;
  std::priority_queue<Entry, std::vector<Entry>, Order> queue(before);
  std::vector<State> x(n, 0);
  std::vector<char> fixed(n, 0);
  std::vector<Entry> latest(n);
  const auto push = [&](VariableId v, bool near) {
    const Entry entry{near, engine.choice(v).margin, v};
    if (entry == latest[v]) return;  // is queued already
    latest[v] = entry;
    queue.push(entry);
  };
  // Entries that are out of date must not fill the memory where scopes are long.
  const auto tidy = [&] {
    std::vector<Entry> valid;
    for (VariableId v = 0; v < n; ++v) {
      if (!fixed[v]) valid.push_back(latest[v]);
    }
    queue = decltype(queue)(before, std::move(valid));
  };
  for (VariableId v = 0; v < n; ++v) {
    latest[v] = {false, engine.choice(v).margin, v};
  }
  tidy();
  TimeCheck time(deadline);
  bool late = false;
  while (!queue.empty() && !late) {
    const Entry top = queue.top();
    const VariableId v = std::get<2>(top);
    queue.pop();
    if (fixed[v] || top != latest[v]) continue;
    fixed[v] = 1;
    x[v] = engine.choice(v).state;
    engine.clamp(v, x[v]);
    for (EdgeId e : graph.edges(v)) {
      const FactorId c = graph.factor_of(e);
      late = time.late(16 * graph.arity(c) + engine.steps(c));
      engine.update_factor(c);
      for (VariableId u : graph.scope(c)) {
        if (!fixed[u]) push(u, true);
      }
      if (queue.size() > 4 * n + 1024) tidy();
    }
  }
  for (VariableId v = 0; v < n; ++v) {
    if (!fixed[v]) x[v] = engine.choice(v).state;
  }
  return x;
}

}  // namespace fgnn
