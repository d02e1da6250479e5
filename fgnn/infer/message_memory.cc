#include "fgnn/infer/message_memory.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/core/parallel.h"
#include "fgnn/graph/oracle.h"
#include "fgnn/potentials/table.h"

namespace fgnn {
namespace {

// What the kernels do with a factor, as bp/group.cc and ad3/oracle.cc decide.
struct Treatment {
  bool becomes_table = false;
  double scratch = 0;  // numbers, for one factor
};

Treatment treatment(const Potential& potential, Shape shape, double slots, Kernels kernels) {
  const Stored stored = potential.stored();
  const auto arity = static_cast<double>(shape.size());
  const double parameters = static_cast<double>(potential.bytes()) / sizeof(double);
  const double usual = 4 * slots + std::min(parameters, 64.0 * (1 << 20));
  if (stored.counting != nullptr && stored.counting->is_parity()) return {false, usual};
  if (stored.counting != nullptr) {
    const auto most = static_cast<double>(stored.counting->saturation());
    return {false, (2 * arity + 4) * (1 + std::min(most, arity))};
  }
  if (stored.table != nullptr) return {false, usual};
  if (kernels == Kernels::projections) {
    std::vector<std::vector<State>> states;
    for (const State size : shape) {
      states.emplace_back(size);
      std::iota(states.back().begin(), states.back().end(), State{0});
    }
    std::vector<const std::vector<State>*> left;
    for (const auto& all : states) left.push_back(&all);
    return {potential.oracle(left) == nullptr, usual};
  }
  if (stored.sum != nullptr && kernels == Kernels::sums) return {false, usual};
  if (stored.maximum != nullptr && kernels == Kernels::maxima) return {false, usual};
  const Reduction reduction = kernels == Kernels::maxima ? Reduction::max : Reduction::sum;
  const auto own = potential.messages(shape, reduction, 1);
  return {own == nullptr, own == nullptr ? usual : usual + static_cast<double>(own->scratch())};
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
  std::set<std::pair<std::uint32_t, std::vector<State>>> seen;  // shared ones are made once
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const Potential& potential = graph.potential(c);
    const std::vector<State> shape = graph.shape(c);
    const std::uint64_t entries = configurations(shape);
    double slots = 0;
    for (const State states : shape) slots += states;
    const Stored stored = potential.stored();
    const bool plain = stored.table != nullptr || stored.counting != nullptr;
    if (plain || seen.emplace(graph.potential_index(c), shape).second) {
      const Treatment treated = treatment(potential, shape, slots, kernels);
      largest = std::max(largest, treated.scratch);
      if (entries <= kMaxTableEntries && treated.becomes_table) {
        total += table_bytes(kernels) * static_cast<double>(entries);
      }
    }
    total += kPerFactor + kPerEdge * static_cast<double>(shape.size()) + kPerSlot * slots +
             static_cast<double>(potential.bytes());
  }
  if (kernels != Kernels::projections) total += sizeof(double) * largest * default_threads();
  return total < 1.8e19 ? static_cast<std::uint64_t>(total) : Budget::kNoLimit;
}

void check_message_memory(const FactorGraph& graph, Kernels kernels, std::uint64_t max_bytes) {
  Budget("messages", max_bytes).take(message_memory(graph, kernels));
}

}  // namespace fgnn
