// The gradient of a whole network against differences.
#pragma once

#include <vector>

#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"

namespace fgnn::testing {

// Weights in place of those a description would have: uniform within their bounds, running moments
// random too.
void draw_weights(network::Model& model, std::uint64_t seed);

// A random linear function of the outputs of all parts, differentiated by `most` of the weights and
// as many of the features, drawn at random. Not more than a fifth of the weights may be at kinks.
void expect_gradient(const network::Model& model, const std::vector<const network::Batch*>& parts,
                     bool training, std::size_t most = 40);

}  // namespace fgnn::testing
