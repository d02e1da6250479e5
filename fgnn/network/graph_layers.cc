// Items that see a graph as a whole: Pool, Global, Set2Set, GraphConv.
#include "fgnn/network/layers.h"

namespace fgnn::network {
namespace {

constexpr std::size_t kMostSteps = 100;  // of Set2Set: each is a dozen operations

}  // namespace

void Layers::pool(const std::string& name, const std::vector<Aggregate>& aggregates,
                  const LayerOptions& o) {
  if (graph_ >= 0) fail("there are no variables left");
  std::vector<int> all;
  for (const Aggregate a : aggregates) {
    all.push_back(gather(Way::variable_to_graph, 0, variable_, {Place::graph}, a));
  }
  // Lengths of sums of places, each weighted by a number of the variable's row.
  if (o.moments > 0) {
    const int places = given_columns(o);
    if (places < 0) fail("moments=k needs first and columns", "those of the places");
    const int charges =
        linear(name + ".moments", {variable_}, o.moments, true, Activation::identity);
    all.push_back(add_register({Place::graph}, o.moments));
    push(Moments{charges, places, all.back()});
  }
  graph_ = all.size() == 1 ? all[0] : concat(all);
}

void Layers::global(const std::string& name, Aggregate aggregate) {
  if (graph_ >= 0) fail("there are no variables left");
  const int all = gather(Way::variable_to_graph, 0, variable_, {Place::graph}, aggregate);
  const int back = gather(Way::graph_to_variable, 0, all, {Place::variable});
  // A linear map of both, as part of this item: side by side they are never written down.
  variable_ = linear(name + ".global", {variable_, back}, width(variable_), true, Activation::relu);
}

// Vinyals et al. 2016: q = LSTM([q, r]), a = softmax over the graph of <x_i, q>, r = sum a_i x_i;
// what comes out is [q, r]. The weights are those of PyTorch's LSTM.
void Layers::set_to_set(const std::string& name, std::size_t steps) {
  if (graph_ >= 0) fail("there are no variables left");
  if (steps > kMostSteps) fail("takes up to 100 steps");
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
    const int match = add_register({Place::variable}, 1),
              share = add_register({Place::variable}, 1);
    push(Dot{variable_, asked, match});
    push(GraphSoftmax{match, share});
    const int part = add_register({Place::variable}, w);
    push(ScaleRows{variable_, share, part});
    r = gather(Way::variable_to_graph, 0, part, {Place::graph});
  }
  graph_ = concat({q, r});
}

// Mao et al. 2019: A (x W) + b, with a trained matrix A between the variables of a graph.
void Layers::graph_conv(const std::string& name, std::size_t w, const LayerOptions& o) {
  const auto n = static_cast<std::int64_t>(d_.schema.variables);
  if (n == 0) fail("needs graphs of one size", "give \"variables\" in the schema");
  const auto in = static_cast<std::int64_t>(width(variable_)), out = static_cast<std::int64_t>(w);
  const double bound = bound_of(w);
  const int weight = parameter(name + ".weight", {in, out}, bound);
  const int bias = parameter(name + ".bias", {out}, bound);
  const int between = parameter(name + ".between", {n, n}, bound);
  const auto mapped = [&](int x, int plus) {
    const int y = add_register({Place::variable}, w);
    push(Linear{{x}, weight, plus, y, Activation::identity});
    return y;
  };
  const auto mixed = [&](int x, int plus) {
    const int y = add_register({Place::variable}, width(x));
    push(Mix{x, between, plus, y});
    return y;
  };
  // A (x W) = (A x) W: variables are mixed where rows are narrower.
  const int y = in < out ? mapped(mixed(variable_, -1), bias) : mixed(mapped(variable_, -1), bias);
  variable_ = normalise(name + ".norm", y, -1, o);
}

}  // namespace fgnn::network
