#include "fgnn/learned/pair_budget.h"

#include <utility>

namespace fgnn::learned {
namespace {

std::vector<double> unit_vectors(std::size_t n) {
  std::vector<double> rows(n * n);
  for (std::size_t i = 0; i < n; ++i) rows[i * n + i] = 1;
  return rows;
}

// The kind of an edge is its position in the scope.
void add_factor(network::Relation& r, std::span<const VariableId> scope) {
  for (std::size_t j = 0; j < scope.size(); ++j) {
    r.factor.push_back(static_cast<network::Index>(r.factors));
    r.variable.push_back(scope[j]);
    r.kind.push_back(static_cast<network::Index>(j));
  }
  ++r.factors;
}

}  // namespace

PairBudget::PairBudget(std::size_t widest) : widest_(widest) {
  for (const std::size_t kinds : {std::size_t{2}, widest}) {
    if (kinds == 0) continue;
    relations_.emplace_back().kinds = kinds;
    batch_.relations.emplace_back().edge = unit_vectors(kinds);
  }
}

void PairBudget::variable(double zero, double one) {
  batch_.variable.push_back(zero);
  batch_.variable.push_back(one);
}

void PairBudget::pair(VariableId first, VariableId second, std::span<const double> values) {
  const VariableId scope[] = {first, second};
  add_factor(relations_[0], scope);
  for (const double v : values) batch_.relations[0].factor.push_back(v);
}

void PairBudget::budget(std::span<const VariableId> scope, std::size_t most) {
  add_factor(relations_.at(1), scope);
  for (std::size_t k = 1; k <= widest_; ++k) {
    batch_.relations[1].factor.push_back(most >= k ? 1.0 : 0.0);
  }
}

std::shared_ptr<const network::Structure> PairBudget::structure() const {
  return std::make_shared<const network::Structure>(batch_.variable.size() / 2, relations_);
}

network::Batch PairBudget::batch(std::shared_ptr<const network::Structure> structure) && {
  batch_.structure = std::move(structure);
  return std::move(batch_);
}

}  // namespace fgnn::learned
