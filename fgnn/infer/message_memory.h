// The memory of methods that pass messages (belief propagation, MPLP, AD3), known beforehand.
#pragma once

#include <cstdint>

#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// Bytes beside the graph, about and rather too many: beliefs and messages with what is kept beside
// them, the numbers of the potentials in the order of the kernels, tables of the potentials for
// which there is no kernel, and the scratch memory of the largest factor (a count on n variables
// with c counts needs 2 n c numbers).
// AD3 has projections instead of those kernels and needs no such scratch memory.
enum class Kernels : std::uint8_t {
  sums,
  tempered_sums,  // at a temperature other than 1
  maxima,
  projections,
};
std::uint64_t message_memory(const FactorGraph& graph, Kernels kernels);

// Throws Error(too_large) telling how much is needed when that is more than `max_bytes`.
void check_message_memory(const FactorGraph& graph, Kernels kernels, std::uint64_t max_bytes);

}  // namespace fgnn
