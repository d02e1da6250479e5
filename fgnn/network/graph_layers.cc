// Items that see a graph as a whole: Pool, Global, Set2Set.
#include "fgnn/network/layers.h"

namespace fgnn::network {

// One row per graph from the rows of its variables, without a matrix.
int Layers::pool_rows(int rows, Aggregate aggregate) {
  const std::size_t w = width(rows);
  Message m{Way::variable_to_graph, 0, -1, rows, add_register({Place::graph}, w), -1, -1, {}};
  m.options = {w, w, Activation::identity, {aggregate}, 1};
  push(m);
  return m.output;
}

void Layers::pool(const std::string& name, Aggregate aggregate, bool global) {
  if (graph_ >= 0) fail("there are no variables left");
  const int all = pool_rows(variable_, aggregate);
  if (!global) {
    graph_ = all;
    return;
  }
  const int back = gather(Way::graph_to_variable, 0, all, {Place::variable});
  // A linear map of both, as part of this item: side by side they are never written down.
  variable_ = linear(name + ".global", {variable_, back}, width(variable_), true, Activation::relu);
}

// Vinyals et al. 2016: q = LSTM([q, r]), a = softmax over the graph of <x_i, q>, r = sum a_i x_i;
// what comes out is [q, r]. The weights are those of PyTorch's LSTM.
void Layers::set_to_set(const std::string& name, std::size_t steps) {
  if (graph_ >= 0) fail("there are no variables left");
  const std::size_t w = width(variable_);
  const auto zeros = [&](std::size_t n) {
    const int output = add_register({Place::graph}, n);
    push(Zero{output});
    return output;
  };
  int q = zeros(w), r = zeros(w), state = zeros(2 * w);
  for (std::size_t t = 0; t < steps; ++t) {
    const int input = linear(name + ".lstm.input", {q, r}, 4 * w, true, Activation::identity);
    const int hidden = linear(name + ".lstm.hidden", {q}, 4 * w, true, Activation::identity);
    const int next = add_register({Place::graph}, 2 * w);
    push(Lstm{input, hidden, state, next});
    state = next;
    q = columns(state, 0, w);
    const int asked = gather(Way::graph_to_variable, 0, q, {Place::variable});
    const int match = add_register({Place::variable}, 1), share = add_register({Place::variable}, 1);
    push(Dot{variable_, asked, match});
    push(GraphSoftmax{match, share});
    const int part = add_register({Place::variable}, w);
    push(ScaleRows{variable_, share, part});
    r = pool_rows(part, Aggregate::sum);
  }
  graph_ = concat({q, r});
}

}  // namespace fgnn::network
