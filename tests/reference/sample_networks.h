// Networks and batches that between them use everything a network can be made of.
#pragma once

#include <string>
#include <vector>

#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"

namespace fgnn::testing {

// Every aggregator, Q, number of layers of M, order, form, norm and activation, and both without
// the map after aggregation; pools, and the baselines' layers. For pair_and_budget().
const std::vector<std::string>& network_texts();

// Copies of one structure, graphs of several sizes, edges masked, and edge features by graph.
std::vector<network::Batch> sample_batches();

// Whether the model knows the kinds of the batch's edges.
bool suits(const network::Batch& batch, const network::Model& model);

}  // namespace fgnn::testing
