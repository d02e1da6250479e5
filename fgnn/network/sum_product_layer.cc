#include <fmt/format.h>

#include "fgnn/network/propagation.h"
#include "fgnn/network/propagation_options.h"

namespace fgnn::network {
namespace {

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
        o_(PropagationOptions::read(w, item,
                                    {"ranks", "states", "tied", "fixed", "latents", "channels"})),
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
      check_operations(w_);
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
  PropagationOptions o_;
  std::string name_;
  const Schema& schema_;
  std::vector<std::size_t> ranks_;
  std::size_t latents_, channels_, states_ = 0;
  int unary_ = -1;
  std::vector<int> features_, lambda_, message_, latent_;  // registers on edges, by relation
};

}  // namespace

int sum_product(Writer& w, const Item& item, const std::string& name, int variable,
                const std::vector<int>& factor, const Schema& schema) {
  return SumProduct(w, item, name, schema).run(variable, factor);
}

}  // namespace fgnn::network
