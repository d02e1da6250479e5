// FGNN(w) in its three forms (builder.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/network/layers.h"

namespace fgnn::network {

Layers::Q Layers::q(const std::string& name, int relation, std::size_t hidden, std::size_t out,
                    const LayerOptions& o) {
  const auto& schema = d_.schema.relations[relation];
  const std::int64_t h = std::int64_t(hidden), w = std::int64_t(out);
  if (o.q == "diagonal") fail("q=diagonal is for Pairs", "rank=… has diagonal matrices by kind");
  if (o.q == "identity") {
    if (hidden != out) fail("q=identity needs m's last width to be the layer's");
    return {};
  }
  if (o.q == "table") {
    return {parameter(name + ".q", {std::int64_t(schema.kinds), h, w}, bound_of(hidden)), -1};
  }
  if (o.q == "mixture" && o.mix == "table") {
    const auto bases = static_cast<std::int64_t>(o.bases), kinds = std::int64_t(schema.kinds);
    int& c = coefficients_.try_emplace(name, -1).first->second;
    if (c < 0) {
      c = add_register({Place::kind, relation}, o.bases);
      // Like a table of matrices at the start: coefficients of size 1/sqrt(bases) each.
      push(Table{parameter(name + ".q.table", {kinds, bases}, std::sqrt(3.0) * bound_of(o.bases)),
                 c});
    }
    return {parameter(name + ".q.bases", {bases, h, w}, bound_of(hidden)), c};
  }
  return network_q(name, edge_features(relation, "q=" + o.q, "q=table"), hidden, out, o);
}

int Layers::edge_features(int relation, const std::string& wanted,
                          const std::string& otherwise) const {
  const int features = program.edge_input[relation];
  if (features < 0) {
    fail(fmt::format("{} needs features on the edges of '{}'", wanted,
                     d_.schema.relations[relation].name),
         otherwise + " needs none");
  }
  return features;
}

Layers::Q Layers::network_q(const std::string& name, int features, std::size_t hidden,
                            std::size_t out, const LayerOptions& o) {
  // A matrix whose entries are linear in hidden units is a mixture with as many bases as units. The
  // entries have no bias of their own; the units do, so that a unit may be the same for all edges.
  const bool mixture = o.q == "mixture";
  int& c = coefficients_.try_emplace(name, -1).first->second;
  if (c < 0) {
    c = linear(name + ".q.hidden", {features}, o.q_hidden, true, Activation::relu);
    if (mixture) c = linear(name + ".q.mix", {c}, o.bases, true, Activation::identity);
  }
  const std::size_t bases = width(c);
  // Like a table at the start: coefficients of size 1/sqrt(bases) each.
  const double bound = bound_of(hidden) * (mixture ? std::sqrt(3.0) : 1);
  return {parameter(name + ".q.bases",
                    {std::int64_t(bases), std::int64_t(hidden), std::int64_t(out)}, bound),
          c};
}

// One direction of a layer: M, Q, aggregate. Returns the aggregate at the other end.
int Layers::message(const std::string& name, Way way, int relation, int target, int source,
                    const Sent& sent, const LayerOptions& o) {
  const auto& hidden = sent.hidden;
  const int from = linear(name + ".source", {source}, hidden[0], true, Activation::identity);
  const int to =
      target < 0 ? -1 : linear(name + ".target", {target}, hidden[0], false, Activation::identity);
  Message m{way, relation, to, from, -1, -1, -1, {}};
  m.options = {hidden[0], sent.out, o.activation, sent.aggregates, o.temperature};
  if (hidden.size() > 1 || o.edges) {
    m.source = on_edges(name, way, relation, to, from, hidden, o);
    m.way = way == Way::variable_to_factor ? Way::edge_to_factor : Way::edge_to_variable;
    m.target = -1;
    m.options.hidden = hidden.back();
    m.options.activation = Activation::identity;
  }
  const Q matrices = q(name, relation, m.options.hidden, sent.out, o);
  m.matrices = matrices.matrices;
  m.coefficients = matrices.coefficients;
  const bool up = way == Way::variable_to_factor;
  m.output = add_register(up ? Place{Place::factor, relation} : Place{Place::variable},
                          m.options.columns());
  push(m);
  return m.output;
}

// M's layers after the first, on edges, and the edges' own features in the first.
int Layers::on_edges(const std::string& name, Way way, int relation, int to, int from,
                     const std::vector<std::size_t>& hidden, const LayerOptions& o) {
  const Place edges{Place::edge, relation};
  const bool up = way == Way::variable_to_factor;
  int x = gather(up ? Way::variable_to_edge : Way::factor_to_edge, relation, from, edges);
  if (to >= 0) {
    x = add({x, gather(up ? Way::factor_to_edge : Way::variable_to_edge, relation, to, edges)});
  }
  if (o.edges) {
    const int features = edge_features(relation, "edges=yes", "edges=no");
    const int own = linear(name + ".edge", {features}, hidden[0], false, Activation::identity);
    x = add({x, spread(relation, own)});
  }
  x = activate(x, o.activation);
  for (std::size_t k = 1; k < hidden.size(); ++k) {
    x = linear(fmt::format("{}.m{}", name, k), {x}, hidden[k], true, o.activation);
  }
  return x;
}

void Layers::on_nodes(const std::string& name, std::size_t w, const LayerOptions& o) {
  const auto before = factor_;
  const auto hidden = o.m.empty() ? std::vector<std::size_t>{w} : o.m;
  const std::size_t of_factor = o.factor > 0 ? o.factor : w;
  for (const int r : relations(o)) {
    const std::string n = relation_name(name, r) + ".vf";
    const int m = message(n, Way::variable_to_factor, r, factor_[r], variable_,
                          {hidden, of_factor, o.to_factor}, o);
    factor_[r] = update(n + ".update", {m}, of_factor, factor_[r], o);
  }
  std::vector<int> received;
  for (const int r : relations(o)) {
    const int source = o.order == "together" && before[r] >= 0 ? before[r] : factor_[r];
    received.push_back(message(relation_name(name, r) + ".fv", Way::factor_to_variable, r,
                               variable_, source, {hidden, w, o.to_variable}, o));
  }
  if (received.empty()) received.push_back(variable_);
  variable_ = update(name + ".variable.update", received, w, variable_, o);
}

// Two forms always add up what comes to variables, and have factors of one width.
void Layers::check_sums(const std::string& form, const LayerOptions& o) const {
  if (o.to_factor.size() != 1) fail(form + " takes one aggregator");
  if (o.to_variable != o.to_factor && o.to_variable != std::vector{Aggregate::sum}) {
    fail(form + " sums what comes to variables", "give aggregate alone, without to_variable");
  }
  if (o.factor > 0) fail(form + " takes no factor width", "leave factor out");
  if (o.edges) fail(form + " takes no features of edges in M", "leave edges out");
}

// The low-rank form: factors of width `rank`, places in the factor by a diagonal each.
void Layers::low_rank(const std::string& name, std::size_t w, const LayerOptions& o) {
  if (o.form != "node" || !o.m.empty()) fail("rank takes neither form=message nor m");
  check_sums("rank", o);
  if (o.to_factor[0] == Aggregate::mean || o.to_factor[0] == Aggregate::logsumexp) {
    fail("rank takes aggregate=sum, product or max");
  }
  LayerOptions factors = o;
  factors.update = false;
  std::vector<int> received;
  for (const int r : relations(o)) {
    const std::string n = relation_name(name, r);
    const int terms = linear(n + ".terms", {variable_}, o.rank, true, Activation::identity);
    const int m = by_place(n + ".vf", Way::variable_to_factor, r, terms, {Place::factor, r},
                           o.activation, o.to_factor[0]);
    if (factor_[r] >= 0 && width(factor_[r]) != o.rank) {
      factor_[r] = linear(n + ".start", {factor_[r]}, o.rank, true, Activation::identity);
    }
    factor_[r] = update(n + ".factor", {m}, o.rank, factor_[r], factors);
    received.push_back(by_place(n + ".fv", Way::factor_to_variable, r, factor_[r],
                                {Place::variable}, Activation::identity, Aggregate::sum));
  }
  if (received.empty()) received.push_back(variable_);
  LayerOptions variables = o;
  variables.update = true;
  variable_ = update(name + ".variable.update", received, w, variable_, variables);
}

// Diagonal matrices by kind of edge, near the identity at the start; activated messages also have
// a shift.
int Layers::by_place(const std::string& name, Way way, int relation, int source, Place place,
                     Activation activation, Aggregate aggregate) {
  const std::vector<std::int64_t> shape{
      static_cast<std::int64_t>(d_.schema.relations[relation].kinds),
      static_cast<std::int64_t>(width(source))};
  const int scale = parameter(name + ".scale", shape, 1, 0);
  const int shift =
      activation == Activation::identity ? -1 : parameter(name + ".shift", shape, 0.5, 0);
  const int output = add_register(place, width(source));
  push(ScaledMessage{way, relation, source, output, scale, shift, activation, aggregate});
  return output;
}

// Factors get numbers from their variables: the sum, product or another aggregate of a linear map
// of each by its kind of edge. A sum is a linear map of the variables side by side. What factors
// have already stays beside it.
void Layers::fill_factors(const std::string& name, std::size_t w, const LayerOptions& o) {
  const int given = given_columns(o), from = given < 0 ? variable_ : given;
  if (o.to_factor.size() != 1) fail("takes one aggregator");
  for (const int r : relations(o)) {
    const std::string q = relation_name(name, r) + ".q";
    const Place to{Place::factor, r};
    const int filled = o.positions > 0
                           ? by_kind(q, Way::edge_to_position, r,
                                     gather(Way::variable_to_edge, r, from, {Place::edge, r}), to,
                                     o.positions, w, o.to_factor[0])
                           : by_kind(q, Way::variable_to_factor, r, from, to,
                                     d_.schema.relations[r].kinds, w, o.to_factor[0]);
    factor_[r] = factor_[r] < 0 ? filled : concat({factor_[r], filled});
  }
}

void Layers::on_messages(const std::string& name, std::size_t w, const LayerOptions& o) {
  if (!o.relation.empty()) fail("form=message takes all relations", "leave relation out");
  check_sums("form=message", o);
  std::vector<int> to_variable, sums;
  for (int r = 0; r < relations(); ++r) {
    const std::string n = relation_name(name, r);
    const Place edges{Place::edge, r};
    if (edge_[r] < 0) {
      const int start = linear(n + ".start", {variable_}, w, true, Activation::identity);
      edge_[r] = gather(Way::variable_to_edge, r, start, edges);
    }
    const std::size_t hidden = o.m.empty() ? w : o.m[0];
    const int h = linear(n + ".m", {edge_[r]}, hidden, true, o.activation);
    Message product{Way::edge_to_edge, r, -1, h, -1, -1, -1, {}};
    product.options = {hidden, w, Activation::identity, {Aggregate::sum}, 1};
    const Q matrices = q(n, r, hidden, w, o);
    product.matrices = matrices.matrices;
    product.coefficients = matrices.coefficients;
    product.output = add_register(edges, w);
    push(product);
    std::vector<int> inputs{
        exclude(Way::edge_to_factor, r, product.output, o.to_factor[0], o.temperature)};
    if (factor_[r] >= 0) inputs.push_back(gather(Way::factor_to_edge, r, factor_[r], edges));
    to_variable.push_back(linear(n + ".y", inputs, w, true, o.activation));
    sums.push_back(gather(Way::edge_to_variable, r, to_variable.back(), {Place::variable}));
  }
  for (int r = 0; r < relations(); ++r) {
    const Place edges{Place::edge, r};
    std::vector<int> inputs{exclude(Way::edge_to_variable, r, to_variable[r], Aggregate::sum),
                            gather(Way::variable_to_edge, r, variable_, edges)};
    for (int s = 0; s < relations(); ++s) {
      if (s != r) inputs.push_back(gather(Way::variable_to_edge, r, sums[s], edges));
    }
    edge_[r] = update(relation_name(name, r) + ".x", inputs, w, edge_[r], o);
  }
  if (sums.empty()) sums.push_back(variable_);
  variable_ = update(name + ".variable.update", sums, w, variable_, o);
}

}  // namespace fgnn::network
