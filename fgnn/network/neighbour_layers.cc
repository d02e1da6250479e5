// Messages between variables: MPNN, Pairs and EdgeConv.
#include <fmt/format.h>

#include <cmath>

#include "fgnn/network/gated_message.h"
#include "fgnn/network/layers.h"

namespace fgnn::network {
namespace {

// Who hears whom in a factor, and what the weights are called.
struct Heard {
  Way way;
  const char* name;
};

std::vector<Heard> heard(const std::string& direction) {
  const Heard forward{Way::forward_neighbours, ".later"};
  const Heard backward{Way::backward_neighbours, ".earlier"};
  if (direction == "forward") return {forward};
  if (direction == "backward") return {backward};
  if (direction == "symmetric") return {{Way::neighbours, ".pair"}};
  return {forward, backward};
}

}  // namespace

// Gilmer et al. 2017: m_i = sum_j Q(features of the factor joining i and j) f_j; f = GRU(f, m).
// Pairwise: of high-order factors it knows nothing, unless there are no others.
void Layers::mpnn(const std::string& name, std::size_t w, LayerOptions o) {
  if (o.to_variable != std::vector{Aggregate::sum} && o.to_variable != std::vector{Aggregate::mean})
    fail("takes aggregate=sum or mean");
  if (width(variable_) != w) {
    LayerOptions before = o;
    before.residual = false;
    variable_ = update(name + ".start", {variable_}, w, -1, before);
  }
  o.q = "mlp";
  std::vector<int> received;
  const auto is_pair = [&](int r) {
    return program.factor_input[r] >= 0 && d_.schema.relations[r].kinds <= 2;
  };
  bool pairs = false;
  for (int r = 0; r < relations(); ++r) pairs |= is_pair(r);
  for (int r = 0; r < relations(); ++r) {
    if (program.factor_input[r] < 0 || (pairs && !is_pair(r))) continue;
    for (const auto& [way, suffix] : heard(o.direction)) {
      const std::string n = relation_name(name, r) + suffix;
      const Q matrices = network_q(n, program.factor_input[r], w, w, o);
      const int output = add_register({Place::variable}, w);
      Message m{way, r, -1, variable_, output, matrices.matrices, matrices.coefficients, {}};
      m.options = {w, w, Activation::identity, o.to_variable, 1};
      push(m);
      received.push_back(output);
      if (!o.q_bias) continue;  // else a part of the matrix is the same for all pairs
      const int all = gather(way, r, variable_, {Place::variable}, o.to_variable[0]);
      received.push_back(linear(n + ".q.bias", {all}, w, false, Activation::identity));
    }
  }
  if (received.empty()) fail("needs factors with features");
  if (o.root) {
    received.push_back(linear(name + ".root", {variable_}, w, true, Activation::identity));
  }
  int message = add(received);
  if (o.received != Activation::identity) message = activate(message, o.received);
  const int input = linear(name + ".gru.input", {message}, 3 * w, true, Activation::identity);
  const int hidden = linear(name + ".gru.hidden", {variable_}, 3 * w, true, Activation::identity);
  const int output = add_register({Place::variable}, w);
  push(Gru{input, hidden, variable_, output});
  variable_ = output;
}

// Messages along arcs, from the first variable of a factor to the second; what an arc's features
// say is computed once, and shared by all layers, as in Zhang and Lee 2019.
void Layers::pairs(const std::string& name, std::size_t w, const LayerOptions& o) {
  const int r = one_relation(o);
  if (program.factor_input[r] < 0) {
    fail(fmt::format("needs features on '{}'", d_.schema.relations[r].name));
  }
  if (o.to_variable.size() != 1) fail("takes one aggregator");
  const bool diagonal = o.q == "diagonal";
  if (!diagonal && o.q != "mixture") fail("takes q=diagonal or q=mixture");
  const std::string code = fmt::format("{}.code{}.{}{}", d_.schema.relations[r].name, o.q_hidden,
                                       o.bases, diagonal ? "" : "m");
  int& c = coefficients_.try_emplace(code, -1).first->second;
  if (c < 0) {
    c = linear(code + ".hidden", {program.factor_input[r]}, o.q_hidden, true, Activation::relu);
    c = linear(code + ".mix", {c}, o.bases, true,
               diagonal ? Activation::relu : Activation::identity);
  }
  const std::size_t hidden = o.m.empty() ? w : o.m[0];
  const int target = linear(name + ".target", {variable_}, hidden, true, Activation::identity);
  const int source = linear(name + ".source", {variable_}, hidden, false, Activation::identity);
  const int output = add_register({Place::variable}, diagonal ? hidden : w);
  if (diagonal) {
    const int shift = linear(name + ".shift", {c}, hidden, false, Activation::identity);
    const int gate = linear(name + ".gate", {c}, hidden, true, Activation::identity);
    push(GatedMessage{Way::forward_neighbours, r, target, source, shift, gate, output, o.activation,
                      o.to_variable[0]});
  } else {
    const int bases =
        parameter(name + ".q.bases", {std::int64_t(o.bases), std::int64_t(hidden), std::int64_t(w)},
                  bound_of(hidden) * std::sqrt(3.0));
    Message m{Way::forward_neighbours, r, target, source, output, bases, c, {}};
    m.options = {hidden, w, o.activation, o.to_variable, 1};
    push(m);
  }
  variable_ = update(name + ".update", {output}, w, variable_, o);
}

// Wang et al. 2019: max_j act(A f_i + B (f_j - f_i)), with A - B folded into one map.
void Layers::edge_conv(const std::string& name, std::size_t w, const LayerOptions& o) {
  const int nearest = add_register({Place::variable}, 0);
  push(KNearest{variable_, nearest, o.neighbours});
  const int to = linear(name + ".self", {variable_}, w, true, Activation::identity);
  const int from = linear(name + ".neighbour", {variable_}, w, false, Activation::identity);
  const int output = add_register({Place::variable}, w);
  Message m{Way::variable_to_graph, 0, to, from, output, -1, -1, {}, nearest};
  m.options = {w, w, o.activation, {Aggregate::max}, 1};
  push(m);
  variable_ = normalise(name + ".norm", output, -1, o);
}

}  // namespace fgnn::network
