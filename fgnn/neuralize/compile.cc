#include "fgnn/neuralize/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/neuralize/fingerprint.h"
#include "fgnn/neuralize/forms.h"
#include "fgnn/neuralize/layout.h"
#include "fgnn/neuralize/weights.h"

namespace fgnn::neuralize {
namespace {

constexpr const char* kFingerprint = "compiled_from";
constexpr const char* kCeiling = "ceiling";

// exp(-600) is far below every rounding and far above the least double.
constexpr double kSumForbidden = -600;

Layout<LowRank> sum_layout(const FactorGraph& graph) {
  return layout<LowRank>(
      graph, [&](FactorId c) { return sum_form(graph, c); },
      [](const LowRank& p) { return p.rank(); });
}
Layout<MaxRankOne> max_layout(const FactorGraph& graph) {
  return layout<MaxRankOne>(
      graph, [&](FactorId c) { return max_form(graph, c); },
      [](const MaxRankOne& p) { return p.size(); });
}

network::Schema schema_of(const auto& layout, std::size_t factor_features) {
  network::Schema schema;
  schema.variable_features = layout.states;
  for (const auto& g : layout.groups) {
    schema.relations.push_back({layout.name(g), factor_features, g.relation.kinds, 0});
  }
  return schema;
}

std::vector<std::size_t> terms_of(const auto& layout) {
  std::vector<std::size_t> terms;
  for (const auto& g : layout.groups) terms.push_back(g.terms);
  return terms;
}

network::Model compile_sum(const FactorGraph& graph, const CompileOptions& options) {
  const auto all = sum_layout(graph);
  network::Model model = sum_product_network(schema_of(all, 0), all.states, terms_of(all), options);
  for (std::size_t r = 0; r < all.groups.size(); ++r) {
    const auto& g = all.groups[r];
    Matrices up(g.relation.kinds, all.states, g.terms), down(g.relation.kinds, g.terms, all.states);
    for (std::size_t p = 0; p < g.potentials.size(); ++p) {
      const LowRank& form = *g.potentials[p];
      // Messages have no scale: lambda's largest may as well be 1.
      double largest = 0;
      for (const double l : form.lambda()) largest = std::max(largest, std::abs(l));
      for (std::size_t j = 0; j < g.arity; ++j) {
        const std::size_t kind = p * g.arity + j;
        for (State x = 0; x < form.shape()[j]; ++x) {
          for (std::size_t term = 0; term < g.terms; ++term) {
            up.at(kind, x, term) = form.weight(j, x, term);
            down.at(kind, term, x) = form.lambda()[term] / largest * form.weight(j, x, term);
          }
        }
      }
    }
    fill_tables(model, all.name(g), up, down, options);
  }
  return model;
}

double least_power_of_two_above(double x) { return std::exp2(std::ceil(std::log2(x))); }

// A number for "forbidden" that no finite cost of these iterations comes near.
double ceiling(const FactorGraph& graph, const Layout<MaxRankOne>& all,
               const CompileOptions& options) {
  double largest = 1;
  const auto span = [&](auto values) {
    double top = kForbidden, low = kInfinity;
    for (const double v : values) {
      if (v == kForbidden) continue;
      top = std::max(top, v);
      low = std::min(low, v);
    }
    if (top > low) largest = std::max(largest, top - low);
  };
  for (VariableId v = 0; v < graph.num_variables(); ++v) span(graph.unary(v));
  for (const auto& g : all.groups) {
    for (const auto& p : g.potentials) {
      for (std::size_t z = 0; z < p->size(); ++z) span(p->term(z));
    }
  }
  BpOptions bp;
  bp.schedule = Schedule::flooding;
  bp.iterations = options.iterations;
  bp.tolerance = 0;
  bp.damping = options.damping;
  bp.threads = 1;
  bp.decimate = false;
  const Result result = max_product(graph, bp);
  span(result.messages.values());
  std::size_t degree = 1;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    degree = std::max(degree, graph.edges(v).size());
  }
  // Other unary potentials may come: leave room for them.
  constexpr double kLeast = 1024;
  return least_power_of_two_above(
      std::max(kLeast, 8 * largest * static_cast<double>(options.iterations + degree + 1)));
}

network::Model compile_max(const FactorGraph& graph, const CompileOptions& options) {
  const auto all = max_layout(graph);
  const double forbidden = ceiling(graph, all, options);
  std::vector<std::size_t> positions, slots;
  for (const auto& g : all.groups) {
    positions.push_back(g.arity);
    std::vector<std::size_t> degree(graph.num_variables());
    for (const auto v : g.relation.variable) ++degree[v];
    slots.push_back(*std::max_element(degree.begin(), degree.end()));
  }
  network::Model model =
      max_product_network(schema_of(all, 1), terms_of(all), positions, slots, forbidden, options);
  for (std::size_t r = 0; r < all.groups.size(); ++r) {
    const auto& g = all.groups[r];
    Dense potential(1, 2, false);  // the feature is the number 1
    potential.at(0, 0) = 1;
    potential.bias.assign(2, 0);
    Matrices phi(g.relation.kinds, 2, g.terms * all.states);
    for (std::size_t p = 0; p < g.potentials.size(); ++p) {
      const MaxRankOne& form = *g.potentials[p];
      std::size_t offset = 0;
      for (std::size_t j = 0; j < g.arity; ++j) {
        const State states = form.shape()[j];
        double best = kForbidden;
        for (std::size_t z = 0; z < g.terms; ++z) {
          for (State x = 0; x < states; ++x) best = std::max(best, form.term(z)[offset + x]);
        }
        for (std::size_t z = 0; z < g.terms; ++z) {
          for (State x = 0; x < all.states; ++x) {
            const double w = x < states ? form.term(z)[offset + x] : kForbidden;
            phi.at(p * g.arity + j, 0, z * all.states + x) = w == kForbidden ? forbidden : best - w;
          }
        }
        offset += states;
      }
    }
    fill_potential(model, all.name(g), potential, phi);
  }
  model.metadata[kCeiling] = fmt::format("{}", forbidden);
  return model;
}

}  // namespace

std::string_view name(Algorithm algorithm) {
  return algorithm == Algorithm::max_product ? "max-product" : "sum-product";
}

Algorithm algorithm(std::string_view text) {
  for (const auto a : {Algorithm::max_product, Algorithm::sum_product}) {
    if (text == name(a)) return a;
  }
  throw Error(ErrorCode::usage, std::string(text), "is not an algorithm that can be compiled",
              "max-product or sum-product");
}

void CompileOptions::validate() const {
  if (iterations < 1 || iterations > 1000) {
    throw Error(ErrorCode::usage, "iterations", "must be 1 … 1000");
  }
  if (!(damping >= 0 && damping < 1)) {
    throw Error(ErrorCode::usage, "damping", "must be at least 0 and below 1");
  }
  if ((latents == 0) != (channels == 0)) {
    throw Error(ErrorCode::usage, "latents", "and channels go together");
  }
  if (algorithm == Algorithm::max_product && (latents > 0 || untied)) {
    throw Error(ErrorCode::usage, "max-product", "has no trainable extension",
                "use sum-product with --latents and --channels");
  }
}

network::Model compile(const FactorGraph& graph, const CompileOptions& options) {
  options.validate();
  if (graph.num_factors() == 0) {
    throw Error(ErrorCode::unsupported, "graph", "has no factors: there is nothing to pass");
  }
  network::Model model = options.algorithm == Algorithm::max_product ? compile_max(graph, options)
                                                                     : compile_sum(graph, options);
  describe_compilation(model, options);
  model.metadata[kFingerprint] = fingerprint(graph);
  return model;
}

bool is_compiled(const network::Model& model) { return model.metadata.contains(kFingerprint); }

double forbidden_below(const network::Model& model, const std::string& subject) {
  const auto found = model.metadata.find(kCeiling);
  if (found == model.metadata.end()) return kSumForbidden / 2;
  const std::string& text = found->second;
  double ceiling = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ceiling);
  if (error != std::errc() || rest != end || !(ceiling > 0) || !std::isfinite(ceiling)) {
    throw Error(ErrorCode::format, subject,
                fmt::format("its metadata '{}' is '{}', not a number above zero", kCeiling, text),
                "compile it again with fgnn neuralize");
  }
  return -ceiling / 2;
}

network::Batch features(const FactorGraph& graph, const network::Model& model) {
  const auto& metadata = model.metadata;
  if (!is_compiled(model) || metadata.at(kFingerprint) != fingerprint(graph)) {
    throw Error(ErrorCode::unsupported, "network", "was compiled from another graph",
                "run fgnn neuralize on this one");
  }
  network::Batch batch;
  std::size_t states = 1;
  const auto take = [&](const auto& layout, double feature, bool has_feature) {
    states = layout.states;
    batch.structure = layout.structure(graph.num_variables());
    for (const auto& g : layout.groups) {
      batch.relations.emplace_back();
      if (has_feature) batch.relations.back().factor.assign(g.relation.factors, feature);
    }
  };
  if (metadata.contains(kCeiling)) {
    take(max_layout(graph), 1, true);
  } else {
    take(sum_layout(graph), 0, false);
  }
  const double forbidden = 2 * forbidden_below(model);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const auto unary = graph.unary(v);
    const double top = *std::max_element(unary.begin(), unary.end());
    for (const double value : unary) {
      if (!metadata.contains(kCeiling) || value == kForbidden) continue;
      if (value - top >= forbidden / 2) continue;
      throw Error(ErrorCode::unsupported, graph.name(v),
                  fmt::format("has log-values {:.3g} apart, more than the network was compiled for",
                              top - value),
                  "run fgnn neuralize on a graph with such values");
    }
    for (std::size_t x = 0; x < states; ++x) {
      batch.variable.push_back(x < unary.size() ? std::max(unary[x] - top, forbidden) : forbidden);
    }
  }
  return batch;
}

}  // namespace fgnn::neuralize
