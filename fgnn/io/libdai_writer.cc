#include <algorithm>
#include <utility>
#include <vector>

#include "fgnn/core/text_writer.h"
#include "fgnn/graph/statistics.h"
#include "fgnn/io/libdai.h"
#include "fgnn/io/linear_values.h"
#include "fgnn/potentials/sparse.h"

namespace fgnn {
namespace {

using Entries = std::vector<std::pair<std::uint64_t, double>>;  // index (first fastest), log-value

class FgWriter {
 public:
  FgWriter(std::ostream& out, const FactorGraph& graph, Budget* budget)
      : text_(out, budget), graph_(graph), budget_(budget) {
    for (VariableId v = 0; v < graph.num_variables(); ++v) {
      const bool carries_constant = v == 0 && graph.constant() != 0;
      if (carries_constant || has_unary(graph, v) || graph.edges(v).empty()) unaries_.push_back(v);
    }
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      if (!sparse_of(c)) check_expandable(graph, c);
    }
  }

  void write() {
    const bool bare_constant = graph_.num_variables() == 0 && graph_.constant() != 0;
    text_.put(graph_.num_factors() + unaries_.size() + bare_constant, '\n');
    if (bare_constant) write_block({}, {}, {{0, graph_.constant()}}, "constant");
    for (VariableId v : unaries_) {
      Entries entries;
      const double extra = v == 0 ? graph_.constant() : 0;
      for (State x = 0; x < graph_.states(v); ++x) {
        entries.emplace_back(x, graph_.unary(v)[x] + extra);
      }
      const State states = graph_.states(v);
      write_block(std::span(&v, 1), std::span(&states, 1), entries, graph_.name(v));
    }
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      write_block(graph_.scope(c), graph_.shape(c), entries_of(c), graph_.describe(c));
    }
    text_.flush();
  }

 private:
  // The factor's potential when its listed states are all that is allowed; null otherwise.
  const Sparse* sparse_of(FactorId c) const {
    const auto* sparse = graph_.potential(c).stored().listed;
    const bool listed = sparse != nullptr && sparse->otherwise() == kForbidden &&
                        configurations(sparse->shape()) != UINT64_MAX;
    return listed ? sparse : nullptr;
  }

  Entries entries_of(FactorId c) const {
    const std::vector<State> shape = graph_.shape(c);
    const auto index = [&shape](std::span<const State> x) {
      std::uint64_t result = 0;
      for (std::size_t i = x.size(); i-- > 0;) result = result * shape[i] + x[i];
      return result;
    };
    Entries entries;
    if (const Sparse* sparse = sparse_of(c)) {
      for (std::size_t i = 0; i < sparse->size(); ++i) {
        entries.emplace_back(index(sparse->row(i)), sparse->value(i));
      }
    } else {
      std::vector<State> x(shape.size(), 0);
      const Table table = expanded(graph_, c, budget_);
      for (double value : table.values()) {
        if (value != kForbidden) entries.emplace_back(index(x), value);
        next_configuration(shape, x);
      }
    }
    std::ranges::sort(entries, {}, &Entries::value_type::first);
    return entries;
  }

  void write_block(std::span<const VariableId> labels, Shape shape, const Entries& entries,
                   const std::string& subject) {
    text_.put('\n', labels.size(), '\n');
    write_integers(labels);
    write_integers(shape);
    const auto allowed = std::ranges::count_if(
        entries, [](const auto& entry) { return entry.second != kForbidden; });
    text_.put(static_cast<std::uint64_t>(allowed), '\n');
    for (const auto& [index, value] : entries) {
      if (value != kForbidden) text_.put(index, ' ', to_linear(value, subject), '\n');
    }
  }

  void write_integers(std::span<const std::uint32_t> integers) {
    for (std::size_t i = 0; i < integers.size(); ++i) text_.put(i ? " " : "", integers[i]);
    text_.put('\n');
  }

  TextWriter text_;
  const FactorGraph& graph_;
  Budget* budget_;
  std::vector<VariableId> unaries_;
};

}  // namespace

void write_fg(std::ostream& out, const FactorGraph& graph, Budget* budget) {
  FgWriter(out, graph, budget).write();
}

}  // namespace fgnn
