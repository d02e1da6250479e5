#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/text_writer.h"
#include "fgnn/graph/statistics.h"
#include "fgnn/io/fgt.h"
#include "fgnn/io/linear_values.h"
#include "fgnn/potentials/text.h"

namespace fgnn {
namespace {

constexpr VariableId kShortestRange = 3;  // x[0] x[1] reads better than x[0..1]

class FgtWriter {
 public:
  FgtWriter(std::ostream& out, const FactorGraph& graph, Budget* budget)
      : text_(out, budget), graph_(graph), uses_(graph.num_potentials(), 0) {
    for (FactorId c = 0; c < graph.num_factors(); ++c) ++uses_[graph.potential_index(c)];
    declared_.resize(uses_.size(), false);
  }

  void write() {
    text_.put("fgnn 1\n");
    for (const NameBlock& block : graph_.names().blocks()) write_block(block);
    if (graph_.constant() != 0) text_.put("constant ", graph_.constant(), '\n');
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      if (has_unary(graph_, v)) {
        text_.put("unary ", graph_.name(v)).list(graph_.unary(v), kPerLine).put('\n');
      }
    }
    for (FactorId c = 0; c < graph_.num_factors(); ++c) write_factor(c);
    text_.flush();
  }

 private:
  static constexpr std::size_t kPerLine = 16;

  void write_block(const NameBlock& block) {
    const auto states = graph_.states().subspan(block.first, block.count);
    text_.put("var ", block.name);
    if (block.array) text_.put('[', block.count, ']');
    if (std::ranges::adjacent_find(states, std::not_equal_to<>()) == states.end()) {
      text_.put(' ', states.empty() ? State{1} : states[0], '\n');
      return;
    }
    text_.put(" each");
    for (std::size_t i = 0; i < states.size(); ++i) {
      text_.put(i % (2 * kPerLine) == 0 && i > 0 ? "\n  " : " ", states[i]);
    }
    text_.put('\n');
  }

  // Shared potentials are declared before their first factor.
  void write_factor(FactorId c) {
    const std::uint32_t index = graph_.potential_index(c);
    const bool shared = uses_[index] > 1;
    if (shared && !declared_[index]) {
      text_.put("potential p", index);
      if (text_needs_shape(graph_.potential(c).kind())) {
        text_.put(" over");
        for (State states : graph_.shape(c)) text_.put(' ', states);
      }
      write_potential(c);
      declared_[index] = true;
    }
    text_.put("factor");
    write_scope(graph_.scope(c));
    if (shared) {
      text_.put(" : use p", index, '\n');
    } else {
      write_potential(c);
    }
  }

  void write_potential(FactorId c) {
    text_.put(" : ");
    if (!graph_.potential(c).write(text_)) {
      throw Error(ErrorCode::unsupported, graph_.describe(c),
                  fmt::format("the text format has no word for potentials of kind {}",
                              graph_.potential(c).kind()));
    }
    text_.put('\n');
  }

  // Runs of an array's elements as ranges.
  void write_scope(std::span<const VariableId> scope) {
    for (std::size_t i = 0; i < scope.size();) {
      const NameBlock& block = block_of(scope[i]);
      std::size_t end = i + 1;
      while (end < scope.size() && scope[end] == scope[end - 1] + 1 &&
             scope[end] < block.first + block.count) {
        ++end;
      }
      if (block.array && end - i >= kShortestRange) {
        text_.put(' ', block.name, '[', scope[i] - block.first, "..", scope[end - 1] - block.first,
                  ']');
      } else {
        for (end = i + 1; i < end; ++i) text_.put(' ', graph_.name(scope[i]));
      }
      i = end;
    }
  }

  const NameBlock& block_of(VariableId v) const {
    const auto& blocks = graph_.names().blocks();
    // The last block that starts at or before v; empty arrays start where the next block does.
    auto block = std::ranges::upper_bound(blocks, v, {}, &NameBlock::first) - 1;
    while (block->count == 0) --block;
    return *block;
  }

  TextWriter text_;
  const FactorGraph& graph_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> declared_;
};

}  // namespace

void write_fgt(std::ostream& out, const FactorGraph& graph, Budget* budget) {
  FgtWriter(out, graph, budget).write();
}

}  // namespace fgnn
