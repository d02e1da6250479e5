#include "tests/reference/random_batch.h"

#include <algorithm>
#include <numeric>

#include "tests/reference/numbers.h"

namespace fgnn::testing {

using network::Batch;
using network::Index;
using network::Model;
using network::Relation;
using network::Structure;

network::Schema pair_and_budget() { return {2, {{"pair", 4, 2, 2}, {"budget", 9, 9, 9}}}; }

namespace {

void add_factor(Rng& rng, Relation& relation, std::size_t variables, std::size_t arity) {
  std::vector<Index> scope(variables);
  std::iota(scope.begin(), scope.end(), Index{0});
  rng.shuffle(scope);
  for (std::size_t k = 0; k < std::min(arity, variables); ++k) {
    relation.factor.push_back(static_cast<Index>(relation.factors));
    relation.variable.push_back(scope[k]);
    relation.kind.push_back(static_cast<Index>(k));
  }
  ++relation.factors;
}

}  // namespace

std::shared_ptr<const Structure> random_structure(Rng& rng, std::size_t variables,
                                                  std::size_t pairs, std::size_t budgets) {
  Relation pair{0, 2, false, {}, {}, {}}, budget{0, 9, false, {}, {}, {}};
  for (std::size_t i = 0; i < pairs; ++i) add_factor(rng, pair, variables, 2);
  for (std::size_t i = 0; i < budgets; ++i) add_factor(rng, budget, variables, 3 + rng.below(7));
  return std::make_shared<const Structure>(variables, std::vector<Relation>{pair, budget});
}

Batch random_features(Rng& rng, std::shared_ptr<const Structure> structure, std::size_t copies) {
  Batch b;
  b.structure = std::move(structure);
  b.copies = copies;
  const auto schema = pair_and_budget();
  const Structure& s = *b.structure;
  b.variable = normal_numbers<double>(rng, copies * s.variables() * schema.variable_features);
  Rng fixed(99);
  for (std::size_t r = 0; r < schema.relations.size(); ++r) {
    const auto& of = schema.relations[r];
    b.relations.push_back(
        {normal_numbers<double>(rng, copies * s.relations()[r].factors * of.factor_features),
         normal_numbers<double>(fixed, of.kinds * of.edge_features),
         {}});
  }
  return b;
}

Batch random_batch(Rng& rng) {
  const std::size_t n = 6 + rng.below(7);
  return random_features(rng, random_structure(rng, n, n, n / 3));
}

Batch with_own_kinds(const Batch& b) {
  Batch result = b;
  std::vector<Relation> relations = b.structure->relations();
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const std::size_t width = pair_and_budget().relations[r].edge_features;
    auto& features = result.relations[r].edge;
    features.clear();
    for (std::size_t e = 0; e < relations[r].edges(); ++e) {
      const auto row =
          b.relations[r].edge.begin() + static_cast<std::ptrdiff_t>(relations[r].kind[e] * width);
      features.insert(features.end(), row, row + static_cast<std::ptrdiff_t>(width));
      relations[r].kind[e] = static_cast<Index>(e);
    }
    relations[r].kinds = relations[r].edges();
    relations[r].own_kinds = true;
  }
  result.structure = std::make_shared<const Structure>(b.structure->variables(), relations);
  return result;
}

Model random_model(network::Description description, std::uint64_t seed) {
  if (description.schema.relations.empty()) description.schema = pair_and_budget();
  Model model(std::move(description), seed);
  Rng rng(seed, 1000);
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    const auto& name = model.program.parameters[i].name;
    for (double& w : model.weights[i]) {
      if (name.ends_with(".mean") || name.ends_with(".shift")) {
        w = static_cast<float>(0.3 * rng.normal());
      } else if (name.ends_with(".variance") || name.ends_with(".scale")) {
        w = static_cast<float>(rng.uniform(0.5, 1.5));
      }
    }
  }
  return model;
}

Model random_model(const std::string& network, const std::string& options, std::uint64_t seed) {
  return random_model(network::Description::parse(
                          R"({"network": ")" + network + R"(", "fgnn": )" + options + "}", "test"),
                      seed);
}

}  // namespace fgnn::testing
