// A plan before its buckets are made: the restated problem with the best order found for it, and
// what that costs.
#pragma once

#include <vector>

#include "fgnn/infer/exact/order.h"
#include "fgnn/infer/exact/problem.h"
#include "fgnn/infer/exact/tree.h"

namespace fgnn::exact {

struct Draft {
  Hold hold;  // planning_bytes()
  Problem problem;
  Order order;          // of all variables that are not conditioned on
  Tree tree;            // of a complete order
  std::vector<Id> cut;  // variables that are conditioned on (cutset.h)
};

// The cheapest that was found. Where it does not fit options.max_bytes and there may be branches,
// variables are conditioned on until it does.
Draft best_draft(const FactorGraph& graph, const Domains& domains, ExactTask task,
                 const ExactOptions& options, Budget& budget);

ExactCost cost_of(const Draft& draft, const FactorGraph& graph, const Domains& domains,
                  ExactTask task, const ExactOptions& options);

// Which variables meet in a source.
InteractionGraph interactions_of(const Problem& problem, const Budget& budget);

Effort effort_of(ExactTask task, const ExactOptions& options, const Budget& budget);

}  // namespace fgnn::exact
