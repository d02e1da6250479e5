#include "fgnn/network/propagation_options.h"

#include <fmt/format.h>

#include "fgnn/core/settings.h"

namespace fgnn::network {
namespace {

constexpr std::size_t kMostOperations = 1 << 18;

const SettingList<PropagationOptions>& all_settings() {
  using O = PropagationOptions;
  static const SettingList<PropagationOptions> kSettings = [] {
    const Rule number = in(1, 65536);
    SettingList<PropagationOptions> all("this layer");
    all.add("iterations", &O::iterations, "N", "of belief propagation", in(1, 1000));
    all.add("ranks", &O::ranks, "NUMBERS", "of rank-1 terms", number);
    all.add("states", &O::states, "N", "of the variables, where features are others", number);
    all.add("tied", &O::tied, "CHOICE", "the same weights in every iteration");
    all.add("fixed", &O::fixed, "CHOICE", "potentials are not trained");
    all.add("latents", &O::latents, "N", "numbers beside a message", number);
    all.add("channels", &O::channels, "N", "of the products of latents", number);
    all.add("terms", &O::terms, "NUMBERS", "of rank-1 terms", number);
    all.add("positions", &O::positions, "NUMBERS", "of variables in a factor", number);
    all.add("slots", &O::slots, "NUMBERS", "of factors at a variable", number);
    return all;
  }();
  return kSettings;
}

}  // namespace

PropagationOptions PropagationOptions::read(const Writer& w, const Item& item,
                                            const std::vector<std::string>& known) {
  PropagationOptions o;
  w.named([&] { all_settings().some("this layer", known).set(o, item.options); });
  if (item.arguments.size() != 1) w.fail("needs a number of iterations");
  w.named([&] { all_settings().set(o, "iterations", item.arguments[0]); });
  return o;
}

const std::vector<std::size_t>& one_each(const Writer& w, const Schema& schema, const char* name,
                                         const std::vector<std::size_t>& numbers) {
  if (numbers.size() != schema.relations.size()) {
    w.fail(fmt::format("{} needs {} numbers, one for each relation, joined by +", name,
                       schema.relations.size()));
  }
  return numbers;
}

void check_operations(const Writer& w) {
  if (w.program.operations.size() > kMostOperations) w.fail("too many iterations in all");
}

int zero(Writer& w, Place place, std::size_t width) {
  const int output = w.add_register(place, width);
  w.push(Zero{output});
  return output;
}

}  // namespace fgnn::network
