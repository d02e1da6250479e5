// A body as the graph that a network sees. Nodes (body.h) are the variables, and come with the DCT
// coefficients of their trajectory. Factors, with an edge to each of their nodes:
//
//   "joint"   one per joint, over its nodes (up to 3)
//   "pair"    one per two adjacent joints, over the nodes of both (up to 6)
//
// Every edge is a kind of its own: what a one-hot feature on edges amounts to.
#pragma once

#include <memory>

#include "fgnn/experiments/motion/body.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/program.h"

namespace fgnn::motion {

inline constexpr std::size_t kMostNodes = 6;  // of a factor

network::Schema schema_of(const Body& body, std::size_t coefficients);
std::shared_ptr<const network::Structure> structure_of(const Body& body);

}  // namespace fgnn::motion
