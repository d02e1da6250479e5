// The order of elimination of a network's variables, towards the end of which costs are moved.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/infer/costs/network.h"

namespace fgnn::costs {

// By variable, its place in a min-fill order; as numbered where finding one takes too long.
std::vector<std::uint32_t> elimination_rank(const Network& network, const Deadline& deadline);

}  // namespace fgnn::costs
