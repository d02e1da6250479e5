#include "fgnn/infer/message_memory.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

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

// Whether the method turns this potential into a table (bp/group.cc, ad3/oracle.cc).
bool becomes_table(const Potential& potential, Shape shape, Kernels kernels) {
  const std::string_view kind = potential.kind();
  if (kind == "table" || kind == "count" || kind == "parity") return false;
  if (kind == "low-rank") return kernels != Kernels::sums;
  if (kernels == Kernels::projections) {
    return kind != "sparse" && kind != "max-rank-1" && kind != "all-different";
  }
  if (kind == "max-rank-1") return kernels != Kernels::maxima;
  if (const auto* sparse = dynamic_cast<const Sparse*>(&potential)) {
    return sparse->otherwise() != kForbidden;
  }
  if (kind == "all-different") return *std::ranges::max_element(shape) > 12;
  return true;
}

// Bytes per entry of such a table, as measured: the table and the numbers of a kernel, and where
// max-product decodes, both once more.
double table_bytes(Kernels kernels) { return kernels == Kernels::projections ? 16 : 32; }

}  // namespace

std::uint64_t message_memory(const FactorGraph& graph, Kernels kernels) {
  constexpr double kPerVariable = 128, kPerState = 64, kPerEdge = 48, kPerSlot = 48,
                   kPerFactor = 64;
  double total = kPerVariable * static_cast<double>(graph.num_variables()) +
                 kPerState * static_cast<double>(graph.total_states());
  double largest = 0;
  std::set<std::pair<std::uint32_t, std::vector<State>>> tables;  // shared ones are made once
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    double slots = 0;
    for (VariableId v : graph.scope(c)) slots += graph.states(v);
    const auto arity = static_cast<double>(graph.arity(c));
    const Potential& potential = graph.potential(c);
    largest = std::max(largest, scratch(potential, arity, slots));
    std::vector<State> shape = graph.shape(c);
    const std::uint64_t entries = configurations(shape);
    if (entries <= kMaxTableEntries && becomes_table(potential, shape, kernels) &&
        tables.emplace(graph.potential_index(c), std::move(shape)).second) {
      total += table_bytes(kernels) * static_cast<double>(entries);
    }
    total +=
        kPerFactor + kPerEdge * arity + kPerSlot * slots + static_cast<double>(potential.bytes());
  }
  if (kernels != Kernels::projections) total += sizeof(double) * largest * default_threads();
  return total < 1.8e19 ? static_cast<std::uint64_t>(total) : Budget::kNoLimit;
}

void check_message_memory(const FactorGraph& graph, Kernels kernels, std::uint64_t max_bytes) {
  Budget("messages", max_bytes).take(message_memory(graph, kernels));
}

}  // namespace fgnn
