#include "fgnn/network/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"

namespace fgnn::network {

Layers::Layers(const Description& d) : d_(d) {
  const auto& s = d.schema;
  if (s.variable_features == 0) {
    throw Error(ErrorCode::format, "schema", "variables have no features",
                "give variable_features");
  }
  variable_ = add_register({Place::variable}, s.variable_features);
  program.variable_input = variable_;
  program.variables = s.variables;
  std::set<std::string> names;
  for (int r = 0; r < static_cast<int>(s.relations.size()); ++r) {
    const auto& relation = s.relations[r];
    // Weights are named by relation; "variable" is what those of variables are called.
    if (relation.name == "variable" || !names.insert(relation.name).second) {
      throw Error(ErrorCode::format, "schema",
                  fmt::format("the name '{}' of a relation is taken", relation.name));
    }
    factor_.push_back(relation.factor_features == 0
                          ? -1
                          : add_register({Place::factor, r}, relation.factor_features));
    program.edge_input.push_back(
        relation.edge_features == 0 ? -1 : add_register({Place::kind, r}, relation.edge_features));
    edge_.push_back(-1);
  }
  program.factor_input = factor_;
}

std::vector<int> Layers::relations(const LayerOptions& o) const {
  const auto wanted = o.relation.empty() ? std::vector<std::string>() : split(o.relation, '+');
  std::vector<int> found;
  for (int r = 0; r < relations(); ++r) {
    const auto& known = d_.schema.relations[r].name;
    if (o.relation.empty() || std::ranges::find(wanted, known) != wanted.end()) found.push_back(r);
  }
  if (o.relation.empty() || o.relation == "none") return found;
  for (const auto& name : wanted) {
    const auto is = [&](const RelationSchema& r) { return r.name == name; };
    if (std::ranges::none_of(d_.schema.relations, is)) {
      fail(fmt::format("there is no relation '{}'", name));
    }
  }
  return found;
}

int Layers::one_relation(const LayerOptions& o) const {
  const auto found = relations(o);
  if (found.size() != 1) fail("needs one relation", "name it: relation=…");
  return found[0];
}

int Layers::given_columns(const LayerOptions& o) {
  if (o.first == 0 && o.columns == 0) return -1;
  const int all = program.variable_input;
  const std::size_t count = o.columns > 0 ? o.columns : width(all) - std::min(o.first, width(all));
  if (count == 0 || o.first + count > width(all)) {
    fail(fmt::format("variables come with {} numbers", width(all)),
         "first and columns must lie within");
  }
  return columns(all, o.first, count);
}

// `channels` of an image, or 0: every column has moments of its own, and with norm=position every
// column of every variable. Rows of factors and graphs have no position.
int Layers::normalise(const std::string& name, int input, int residual, const LayerOptions& o,
                      std::size_t channels) {
  if (o.norm == NormKind::none) {
    const int result = o.activation == Activation::identity ? input : activate(input, o.activation);
    return residual < 0 ? result : add({result, residual});
  }
  if (o.norm == NormKind::instance && place(input).rows == Place::graph) {
    fail("norm=instance leaves nothing of the one row of a graph", "write norm=layer after Pool");
  }
  const bool by_position = o.by_position && place(input).rows == Place::variable;
  if (by_position && d_.schema.variables == 0) {
    fail("norm=position needs graphs of one size", "give \"variables\" in the schema");
  }
  const std::size_t columns =
      channels > 0 ? channels : width(input) * (by_position ? d_.schema.variables : 1);
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(columns)};
  const bool batch = o.norm == NormKind::batch;
  const int output = add_register(place(input), width(input));
  const int scale = parameter(name + ".scale", shape, 0, 1);
  const int shift = parameter(name + ".shift", shape, 0);
  const int mean = batch ? parameter(name + ".mean", shape, 0, 0, false) : -1;
  const int variance = batch ? parameter(name + ".variance", shape, 0, 1, false) : -1;
  push(Norm{input, residual, output, o.norm, scale, shift, mean, variance, o.activation});
  return output;
}

// norm(linear(inputs)), activated, plus `before` where it has the same width; with normed=sum
// norm(linear(inputs), activated, plus `before`).
int Layers::update(const std::string& name, std::vector<int> inputs, std::size_t out, int before,
                   const LayerOptions& o) {
  const bool plain = !o.update && inputs.size() == 1 && width(inputs[0]) == out;
  const int mapped =
      plain ? inputs[0]
            : linear(name + ".linear", std::move(inputs), out,
                     o.norm == NormKind::none || o.norm == NormKind::layer, Activation::identity);
  const bool residual = o.residual && before >= 0 && width(before) == out;
  LayerOptions last = o;
  if (o.updated) last.activation = *o.updated;
  if (o.normed == "sum") {
    int sum = last.activation == Activation::identity ? mapped : activate(mapped, last.activation);
    if (residual) sum = add({before, sum});
    last.activation = Activation::identity;
    return normalise(name + ".norm", sum, -1, last);
  }
  return normalise(name + ".norm", mapped, residual ? before : -1, last);
}

}  // namespace fgnn::network
