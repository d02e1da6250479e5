#include "fgnn/infer/message_memory.h"

#include <algorithm>

#include "fgnn/core/budget.h"
#include "fgnn/core/parallel.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn {
namespace {

// Numbers of scratch memory for one factor.
double scratch(const Potential& potential, double arity, double slots) {
  if (const auto* count = dynamic_cast<const Count*>(&potential)) {
    const auto counts = 1 + std::min(static_cast<double>(count->saturation()), arity);
    return (2 * arity + 4) * counts;
  }
  const double parameters = static_cast<double>(potential.bytes()) / sizeof(double);
  return 4 * slots + std::min(parameters, 64.0 * (1 << 20));
}

}  // namespace

std::uint64_t message_memory(const FactorGraph& graph, Kernels kernels) {
  constexpr double kPerVariable = 128, kPerState = 64, kPerEdge = 48, kPerSlot = 48,
                   kPerFactor = 64;
  double total = kPerVariable * static_cast<double>(graph.num_variables()) +
                 kPerState * static_cast<double>(graph.total_states());
  double largest = 0;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    double slots = 0;
    for (VariableId v : graph.scope(c)) slots += graph.states(v);
    const auto arity = static_cast<double>(graph.arity(c));
    const Potential& potential = graph.potential(c);
    largest = std::max(largest, scratch(potential, arity, slots));
    total +=
        kPerFactor + kPerEdge * arity + kPerSlot * slots + static_cast<double>(potential.bytes());
  }
  if (kernels == Kernels::messages) total += sizeof(double) * largest * default_threads();
  return total < 1.8e19 ? static_cast<std::uint64_t>(total) : Budget::kNoLimit;
}

void check_message_memory(const FactorGraph& graph, Kernels kernels, std::uint64_t max_bytes) {
  Budget("messages", max_bytes).take(message_memory(graph, kernels));
}

}  // namespace fgnn
