// Exact answers by visiting every joint state: the reference that all other methods are tested
// against. Cost: the product of all numbers of states, so at most kMaxEnumerated.
#pragma once

#include <cstdint>

#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

inline constexpr std::uint64_t kMaxEnumerated = std::uint64_t{1} << 26;

// Throws Error(too_large) above kMaxEnumerated joint states, Error(time_limit) after the deadline.
Result enumerate_marginals(const FactorGraph& graph, const Evidence& evidence = {},
                           const Deadline& deadline = {});
Result enumerate_map(const FactorGraph& graph, const Evidence& evidence = {}, std::size_t k = 1,
                     const Deadline& deadline = {});

}  // namespace fgnn
