// Features of binary variables joined by pairs and budgets, as networks of the synthetic family
// read them (synthetic.h says which): one place for instances of the models and for graphs from
// files.
#pragma once

#include <memory>
#include <span>

#include "fgnn/core/types.h"
#include "fgnn/network/batch.h"

namespace fgnn::learned {

class PairBudget {
 public:
  // Budgets have up to `widest` variables; 0: there are none.
  explicit PairBudget(std::size_t widest);

  void variable(double zero, double one);
  void pair(VariableId first, VariableId second, std::span<const double> values);  // four
  void budget(std::span<const VariableId> scope, std::size_t most);

  std::shared_ptr<const network::Structure> structure() const;
  // The features, with a structure that fits.
  network::Batch batch(std::shared_ptr<const network::Structure> structure) &&;

 private:
  std::size_t widest_;
  network::Batch batch_;
  std::vector<network::Relation> relations_;  // pairs, budgets
};

}  // namespace fgnn::learned
