// Exact answers by visiting every joint state: the reference that all other methods are tested
// against. Cost: the product of all numbers of states, so at most kMaxEnumerated.
#pragma once

#include <cstdint>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

inline constexpr std::uint64_t kMaxEnumerated = std::uint64_t{1} << 26;

// Both throw Error(too_large) above kMaxEnumerated joint states.
Result enumerate_marginals(const FactorGraph& graph, const Evidence& evidence = {});
Result enumerate_map(const FactorGraph& graph, const Evidence& evidence = {}, std::size_t k = 1);

}  // namespace fgnn
