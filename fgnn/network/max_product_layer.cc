#include <fmt/format.h>

#include "fgnn/network/propagation.h"
#include "fgnn/network/propagation_options.h"

namespace fgnn::network {
namespace {

class MaxProduct {
 public:
  MaxProduct(Writer& w, const Item& item, std::string name, const Schema& schema)
      : w_(w),
        o_(PropagationOptions::read(w, item, {"terms", "positions", "slots"})),
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
      check_operations(w_);
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
  PropagationOptions o_;
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

int max_product(Writer& w, const Item& item, const std::string& name, int variable,
                const std::vector<int>& factor, const Schema& schema) {
  return MaxProduct(w, item, name, schema).run(variable, factor);
}

}  // namespace fgnn::network
