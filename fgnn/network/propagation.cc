#include "fgnn/network/propagation.h"

#include <fmt/format.h>

#include "fgnn/core/settings.h"

namespace fgnn::network {
namespace {

constexpr std::size_t kMostOperations = 1 << 18;  // repeats of iterations would never end

// Options of an item; lists have a number for each relation.
struct Options {
  std::size_t iterations = 0, states = 0, latents = 0, channels = 0;
  bool tied = false, fixed = false;
  std::vector<std::size_t> ranks, terms, positions, slots;
};

const SettingList<Options>& all_settings() {
  static const SettingList<Options> kSettings = [] {
    const Rule number = in(1, 65536);
    SettingList<Options> all("this layer");
    all.add("iterations", &Options::iterations, "N", "of belief propagation", in(1, 1000));
    all.add("ranks", &Options::ranks, "NUMBERS", "of rank-1 terms", number);
    all.add("states", &Options::states, "N", "of the variables, where features are others", number);
    all.add("tied", &Options::tied, "CHOICE", "the same weights in every iteration");
    all.add("fixed", &Options::fixed, "CHOICE", "potentials are not trained");
    all.add("latents", &Options::latents, "N", "numbers beside a message", number);
    all.add("channels", &Options::channels, "N", "of the products of latents", number);
    all.add("terms", &Options::terms, "NUMBERS", "of rank-1 terms", number);
    all.add("positions", &Options::positions, "NUMBERS", "of variables in a factor", number);
    all.add("slots", &Options::slots, "NUMBERS", "of factors at a variable", number);
    return all;
  }();
  return kSettings;
}

Options read_options(const Writer& w, const Item& item, const std::vector<std::string>& known) {
  Options o;
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

void check_size(const Writer& w) {
  if (w.program.operations.size() > kMostOperations) w.fail("too many iterations in all");
}

int zero(Writer& w, Place place, std::size_t width) {
  const int output = w.add_register(place, width);
  w.push(Zero{output});
  return output;
}

// What each edge of relation r hears from its variable, but messages of r itself.
int from_others(Writer& w, int r, int unary, const std::vector<int>& totals) {
  std::vector<int> inputs{unary};
  for (int s = 0; s < static_cast<int>(totals.size()); ++s) {
    if (s != r) inputs.push_back(totals[s]);
  }
  const int sum = inputs.size() == 1 ? unary : w.add(inputs);
  return w.gather(Way::variable_to_edge, r, sum, {Place::edge, r});
}

class SumProduct {
 public:
  SumProduct(Writer& w, const Item& item, std::string name, const Schema& schema)
      : w_(w),
        o_(read_options(w, item, {"ranks", "states", "tied", "fixed", "latents", "channels"})),
        name_(std::move(name)),
        schema_(schema),
        ranks_(one_each(w, schema, "ranks", o_.ranks)),
        latents_(o_.latents),
        channels_(o_.channels) {
    if ((latents_ == 0) != (channels_ == 0)) w.fail("latents and channels go together");
  }

  int run(int variable, const std::vector<int>& factor) {
    states_ = o_.states > 0 ? o_.states : w_.width(variable);
    unary_ = w_.linear(name_ + ".unary", {variable}, states_, false, Activation::identity);
    for (int r = 0; r < relations(); ++r) {
      features_.push_back(latents_ == 0 || states_ == w_.width(variable)
                              ? -1
                              : w_.gather(Way::variable_to_edge, r, variable, {Place::edge, r}));
      lambda_.push_back(factor[r] < 0 ? -1 : lambda(r, factor[r]));
      message_.push_back(zero(w_, {Place::edge, r}, states_));
      latent_.push_back(latents_ == 0 ? -1 : zero(w_, {Place::edge, r}, latents_));
    }
    for (std::size_t t = 0; t < o_.iterations; ++t) {
      check_size(w_);
      iterate(o_.tied ? name_ : fmt::format("{}_{}", name_, t));
    }
    std::vector<int> sum{unary_};
    for (const int total : totals()) sum.push_back(total);
    if (o_.fixed) fix_potentials();
    return w_.add(sum);
  }

 private:
  int relations() const { return static_cast<int>(schema_.relations.size()); }

  void fix_potentials() {
    for (auto& p : w_.program.parameters) {
      if (!p.name.starts_with(name_)) continue;
      for (const char* part : {".up", ".down", ".potential.weight", ".potential.bias",
                               ".lambda.weight", ".lambda.bias"}) {
        if (p.name.ends_with(part)) p.trained = false;
      }
    }
  }

  int lambda(int r, int factor) {
    const std::string n = name_ + "." + schema_.relations[r].name;
    const int potential =
        w_.linear(n + ".potential", {factor}, w_.width(factor), true, Activation::exp);
    const int weights =
        w_.linear(n + ".lambda", {potential}, ranks_[r], true, Activation::identity);
    return w_.gather(Way::factor_to_edge, r, weights, {Place::edge, r});
  }

  std::vector<int> totals() {
    std::vector<int> sums;
    for (int r = 0; r < relations(); ++r) {
      sums.push_back(w_.gather(Way::edge_to_variable, r, message_[r], {Place::variable}));
    }
    return sums;
  }

  // Sums of the latents at variables, for the edges of other relations.
  std::vector<int> latent_totals() {
    std::vector<int> sums;
    for (int r = 0; latents_ > 0 && relations() > 1 && r < relations(); ++r) {
      sums.push_back(w_.gather(Way::edge_to_variable, r, latent_[r], {Place::variable}));
    }
    return sums;
  }

  void iterate(const std::string& name) {
    const auto sums = totals();
    const auto before = latent_;
    const auto latent_sums = latent_totals();
    for (int r = 0; r < relations(); ++r) {
      const std::string n = name + "." + schema_.relations[r].name;
      const int to_factor =
          w_.add({w_.exclude(Way::edge_to_variable, r, message_[r], Aggregate::sum),
                  from_others(w_, r, unary_, sums)});
      const int fresh = factor_side(n, r, to_factor);
      std::vector<int> inputs{fresh, message_[r]};
      if (latents_ > 0) {
        inputs.push_back(latent_[r] = latent(n, r, to_factor, fresh, before[r], latent_sums));
      }
      message_[r] = w_.linear(n + ".blend", inputs, states_, false, Activation::identity);
    }
  }

  int factor_side(const std::string& n, int r, int to_factor) {
    const Place edges{Place::edge, r};
    const std::size_t kinds = schema_.relations[r].kinds;
    const int probability = w_.add_register(edges, states_);
    w_.push(Softmax{to_factor, probability});
    const int up = w_.by_kind(n + ".up", Way::edge_to_edge, r, probability, edges, kinds, ranks_[r],
                              Aggregate::sum);
    int product = w_.exclude(Way::edge_to_factor, r, up, Aggregate::product);
    if (lambda_[r] >= 0) {
      const int weighted = w_.add_register(edges, ranks_[r]);
      w_.push(Multiply{product, lambda_[r], weighted});
      product = weighted;
    }
    const int down = w_.by_kind(n + ".down", Way::edge_to_edge, r, product, edges, kinds, states_,
                                Aggregate::sum);
    return w_.activate(down, Activation::log);
  }

  int latent(const std::string& n, int r, int to_factor, int fresh, int before,
             const std::vector<int>& sums) {
    std::vector<int> own{to_factor, before};
    if (features_[r] >= 0) own.push_back(features_[r]);
    const int channel = w_.linear(n + ".channel", own, channels_, true, Activation::tanh);
    own.push_back(w_.exclude(Way::edge_to_factor, r, channel, Aggregate::product));
    own.push_back(fresh);
    own.push_back(w_.exclude(Way::edge_to_variable, r, before, Aggregate::sum));
    for (int s = 0; s < static_cast<int>(sums.size()); ++s) {
      if (s != r) own.push_back(w_.gather(Way::variable_to_edge, r, sums[s], {Place::edge, r}));
    }
    if (lambda_[r] >= 0) own.push_back(lambda_[r]);
    return w_.linear(n + ".latent", own, latents_, true, Activation::tanh);
  }

  Writer& w_;
  Options o_;
  std::string name_;
  const Schema& schema_;
  std::vector<std::size_t> ranks_;
  std::size_t latents_, channels_, states_ = 0;
  int unary_ = -1;
  std::vector<int> features_, lambda_, message_, latent_;  // registers on edges, by relation
};

class MaxProduct {
 public:
  MaxProduct(Writer& w, const Item& item, std::string name, const Schema& schema)
      : w_(w),
        o_(read_options(w, item, {"terms", "positions", "slots"})),
        name_(std::move(name)),
        schema_(schema),
        terms_(one_each(w, schema, "terms", o_.terms)),
        positions_(one_each(w, schema, "positions", o_.positions)),
        slots_(one_each(w, schema, "slots", o_.slots)) {}

  int run(int variable, const std::vector<int>& factor) {
    states_ = w_.width(variable);
    unary_ = excess(name_ + ".unary", {variable});
    for (int r = 0; r < static_cast<int>(schema_.relations.size()); ++r) {
      const auto& relation = schema_.relations[r];
      if (factor[r] < 0)
        w_.fail(fmt::format("needs features on the factors of '{}'", relation.name));
      const std::string n = name_ + "." + relation.name;
      const int potential = w_.linear(n + ".potential", {factor[r]}, w_.width(factor[r]) + 1, true,
                                      Activation::identity);
      phi_.push_back(w_.by_kind(n + ".phi", Way::factor_to_edge, r, potential, {Place::edge, r},
                                relation.kinds, terms_[r] * states_, Aggregate::sum));
      message_.push_back(zero(w_, {Place::edge, r}, states_));
      at_variable_.push_back(zero(w_, {Place::variable}, slots_[r] * states_));
    }
    for (std::size_t t = 0; t < o_.iterations; ++t) {
      check_size(w_);
      iterate();
    }
    std::vector<int> all{unary_};
    all.insert(all.end(), at_variable_.begin(), at_variable_.end());
    return w_.linear(name_ + ".beliefs", all, states_, false, Activation::identity);
  }

 private:
  // Linear layers with ReLU that halve the rows, then a last linear layer.
  int chain(const std::string& name, std::vector<int> inputs, std::size_t rows, std::size_t l) {
    const auto widths = halvings(l);
    for (std::size_t k = 0; k < widths.size(); ++k) {
      inputs = {w_.linear(fmt::format("{}.{}", name, k), inputs, rows * widths[k], false,
                          Activation::relu)};
    }
    return w_.linear(name + ".out", inputs, rows, false, Activation::identity);
  }

  // y - min y of the sum y of the inputs, clamped.
  int excess(const std::string& name, const std::vector<int>& inputs) {
    const int difference =
        w_.linear(name + ".difference", inputs, states_ * states_, false, Activation::relu);
    const int largest = chain(name + ".largest", {difference}, states_, states_);
    const int above = w_.linear(name + ".above", {largest}, 2 * states_, true, Activation::relu);
    return w_.linear(name + ".clamp", {above}, states_, false, Activation::identity);
  }

  void iterate() {
    const auto before = at_variable_;
    for (int r = 0; r < static_cast<int>(schema_.relations.size()); ++r) {
      const std::string n = name_ + "." + schema_.relations[r].name;
      const Place edges{Place::edge, r}, factors{Place::factor, r};
      const std::size_t z = terms_[r];
      std::vector<int> others{unary_};
      for (int s = 0; s < static_cast<int>(before.size()); ++s) {
        if (s != r) others.push_back(before[s]);
      }
      const int rest = w_.linear(n + ".rest", others, states_, false, Activation::identity);
      const int own = w_.by_kind(n + ".other_slots", Way::slot_to_edge, r, before[r], edges,
                                 slots_[r], states_, Aggregate::sum);
      const int to_factor =
          excess(n + ".to_factor", {own, w_.gather(Way::variable_to_edge, r, rest, edges)});
      const int best = chain(n + ".over_states", {to_factor, phi_[r]}, z, states_);
      const int at_factor = w_.by_kind(n + ".place", Way::edge_to_position, r, best, factors,
                                       positions_[r], positions_[r] * z, Aggregate::max);
      const int by_term = w_.by_kind(n + ".other_positions", Way::position_to_edge, r, at_factor,
                                     edges, positions_[r], z, Aggregate::sum);
      const int fresh =
          excess(n + ".to_variable", {chain(n + ".over_terms", {by_term, phi_[r]}, states_, z)});
      message_[r] =
          w_.linear(n + ".blend", {fresh, message_[r]}, states_, false, Activation::identity);
      at_variable_[r] =
          w_.by_kind(n + ".slot", Way::edge_to_slot, r, message_[r], {Place::variable}, slots_[r],
                     slots_[r] * states_, Aggregate::max);
    }
  }

  Writer& w_;
  Options o_;
  std::string name_;
  const Schema& schema_;
  std::vector<std::size_t> terms_, positions_, slots_;
  std::size_t states_ = 0;
  int unary_ = -1;
  std::vector<int> phi_, message_, at_variable_;  // registers by relation
};

}  // namespace

std::vector<std::size_t> halvings(std::size_t l) {
  std::vector<std::size_t> sizes;
  for (; l > 1; l = (l + 1) / 2) sizes.push_back(l);
  return sizes;
}

int sum_product(Writer& w, const Item& item, const std::string& name, int variable,
                const std::vector<int>& factor, const Schema& schema) {
  return SumProduct(w, item, name, schema).run(variable, factor);
}

int max_product(Writer& w, const Item& item, const std::string& name, int variable,
                const std::vector<int>& factor, const Schema& schema) {
  return MaxProduct(w, item, name, schema).run(variable, factor);
}

}  // namespace fgnn::network
