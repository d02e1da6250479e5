// Joining factors to tighten the relaxation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/mplp/dual.h"

namespace fgnn::lp {

struct Cluster {
  std::vector<FactorId> factors;  // two that share variables, or three or four around a cycle
  double gain = 0;                // by how much joining them lowers the bound at once
};

// The cluster with the largest gain, if any gains more than `least`: of those that were looked at
// before the deadline.
std::optional<Cluster> best_cluster(const FactorGraph& graph, const Dual& dual,
                                    std::uint64_t max_entries, double least,
                                    const Deadline& deadline = {});

// The graph with these factors replaced by their joint table (the last factor of the new graph).
FactorGraph join(const FactorGraph& graph, const Cluster& cluster);

// Carries the messages of `from` over; those of the joined factors add up.
void carry_over(const FactorGraph& graph, const Dual& from, const Cluster& cluster,
                const FactorGraph& joined, Dual& to);

}  // namespace fgnn::lp
