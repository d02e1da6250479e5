#include "fgnn/neuralize/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "fgnn/neuralize/propositions.h"

namespace fgnn::neuralize {
namespace {

constexpr const char* kItem = "0";  // the network has one item

// [fresh, old, and `others` more] -> (1 - damping) fresh + damping old
Dense blend(std::size_t states, std::size_t others, double damping) {
  Dense d(2 * states + others, states, false);
  for (std::size_t x = 0; x < states; ++x) {
    d.at(x, x) = 1 - damping;
    d.at(states + x, x) = damping;
  }
  return d;
}

// Names of the iterations' weights.
std::vector<std::string> iterations(const CompileOptions& o) {
  if (!o.untied) return {kItem};
  std::vector<std::string> names;
  for (std::size_t t = 0; t < o.iterations; ++t) names.push_back(fmt::format("{}_{}", kItem, t));
  return names;
}

// Product channels begin as tanh rules of several steepnesses, each about one state against the
// others: products of small random numbers would say nothing for long. The other inputs of the
// channels, latents and features, keep a part of their random weights.
void begin_channels(network::Model& model, const std::string& name, std::size_t states,
                    std::size_t channels) {
  constexpr double kSteepness[] = {0.5, 1, 0.25, 2}, kKept = 0.3;
  auto& weight = model.weights[parameter(model, name + ".weight")];
  for (double& w : weight) w *= kKept;
  for (std::size_t k = 0; k < channels; ++k) {
    const double s = kSteepness[k / states % std::size(kSteepness)];
    for (std::size_t x = 0; x < states; ++x) {
      weight[x * channels + k] = x == k % states ? s : -s / static_cast<double>(states - 1);
    }
  }
  auto& bias = model.weights[parameter(model, name + ".bias")];
  std::fill(bias.begin(), bias.end(), 0.0);
}

void fill_excess(Filler& filler, const std::string& name, const Excess& e) {
  filler.fill(name + ".difference", e.difference);
  filler.fill_chain(name + ".largest", e.largest);
  filler.fill(name + ".above", e.above);
  filler.fill(name + ".clamp", e.clamp);
}

// Sums of `blocks` blocks of n numbers each, times `sign`.
Dense block_sum(std::size_t n, std::size_t blocks, double sign) {
  Dense d(blocks * n, n, false);
  for (std::size_t i = 0; i < blocks * n; ++i) d.at(i, i % n) = sign;
  return d;
}

}  // namespace

void describe_compilation(network::Model& model, const CompileOptions& options) {
  model.metadata["algorithm"] = name(options.algorithm);
  model.metadata["iterations"] = fmt::format("{}", options.iterations);
  model.metadata["damping"] = fmt::format("{}", options.damping);
}

network::Model sum_product_network(const network::Schema& schema, std::size_t states,
                                   const std::vector<std::size_t>& ranks, const CompileOptions& o) {
  network::Description d;
  d.network = fmt::format("SumProduct({}, ranks={}, states={}, tied={}", o.iterations,
                          fmt::join(ranks, "+"), states, o.untied ? "no" : "yes");
  if (o.latents > 0) {
    d.network += fmt::format(", fixed={}, latents={}, channels={}",
                             o.train_potentials ? "no" : "yes", o.latents, o.channels);
  }
  d.network += ")";
  d.schema = schema;
  network::Model model(std::move(d), o.seed);
  Filler filler(model);
  Dense unary(schema.variable_features, states, false);
  for (std::size_t x = 0; x < states; ++x) unary.at(x, x) = 1;
  filler.fill(std::string(kItem) + ".unary", unary);
  for (const auto& iteration : iterations(o)) {
    for (const auto& r : schema.relations) {
      filler.fill(fmt::format("{}.{}.blend", iteration, r.name),
                  blend(states, o.latents, o.damping));
      if (o.latents > 0 && states > 1) {
        begin_channels(model, fmt::format("{}.{}.channel", iteration, r.name), states, o.channels);
      }
    }
  }
  return model;
}

void fill_tables(network::Model& model, const std::string& relation, const Matrices& up,
                 const Matrices& down, const CompileOptions& o) {
  Filler filler(model);
  for (const auto& iteration : iterations(o)) {
    filler.fill(fmt::format("{}.{}.up", iteration, relation), up);
    filler.fill(fmt::format("{}.{}.down", iteration, relation), down);
  }
}

void fill_lambda(network::Model& model, const std::string& relation, const Dense& potential,
                 const Dense& lambda) {
  Filler filler(model);
  filler.fill(fmt::format("{}.{}.potential", kItem, relation), potential);
  filler.fill(fmt::format("{}.{}.lambda", kItem, relation), lambda);
}

network::Model max_product_network(const network::Schema& schema,
                                   const std::vector<std::size_t>& terms,
                                   const std::vector<std::size_t>& positions,
                                   const std::vector<std::size_t>& slots, double forbidden,
                                   const CompileOptions& o) {
  network::Description d;
  d.network = fmt::format("MaxProduct({}, terms={}, positions={}, slots={})", o.iterations,
                          fmt::join(terms, "+"), fmt::join(positions, "+"), fmt::join(slots, "+"));
  d.schema = schema;
  network::Model model(std::move(d), o.seed);
  Filler filler(model);
  const std::size_t states = schema.variable_features;
  const std::string item = kItem;
  fill_excess(filler, item + ".unary", excess(states, 1, forbidden, /*of_scores=*/true));
  std::size_t all_slots = 0;
  for (const std::size_t s : slots) all_slots += s;
  for (std::size_t r = 0; r < terms.size(); ++r) {
    const std::string n = item + "." + schema.relations[r].name;
    const auto up = variable_to_factor(states, terms[r], positions[r]);
    const auto down = factor_to_variable(states, terms[r], slots[r]);
    // The unary costs and the slots of all other relations.
    filler.fill(n + ".rest", block_sum(states, 1 + all_slots - slots[r], 1));
    filler.fill(n + ".other_slots", down.other_slots);
    fill_excess(filler, n + ".to_factor", excess(states, 2, forbidden));
    filler.fill_chain(n + ".over_states", up.over_states);
    filler.fill(n + ".place", up.place);
    filler.fill(n + ".other_positions", up.other_positions);
    filler.fill_chain(n + ".over_terms", down.over_terms);
    fill_excess(filler, n + ".to_variable", excess(states, 1, forbidden));
    filler.fill(n + ".blend", blend(states, 0, o.damping));
    filler.fill(n + ".slot", down.slot);
  }
  filler.fill(item + ".beliefs", block_sum(states, 1 + all_slots, -1));
  return model;
}

void fill_potential(network::Model& model, const std::string& relation, const Dense& potential,
                    const Matrices& phi) {
  Filler filler(model);
  filler.fill(fmt::format("{}.{}.potential", kItem, relation), potential);
  filler.fill(fmt::format("{}.{}.phi", kItem, relation), phi);
}

}  // namespace fgnn::neuralize
