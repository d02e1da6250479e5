// A factor graph restated for elimination: variables with the states they can be in, and tables
// addressed by offsets. A table is read through one list of offsets per variable,
//   value(x) = data[ base + sum_i offset_i(x_i) ],
// which covers dense tables in any axis order, tables of which only some states are left, and
// functions of a count (offset 1 for a chosen state) alike, so that none is copied or expanded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/exact/prune.h"

namespace fgnn::exact {

using Id = std::uint32_t;  // a variable of the restated problem

inline constexpr VariableId kExtra = ~VariableId{0};

struct PlainVariable {
  VariableId original = kExtra;  // kExtra: a counter that stands for a structured potential
  State states = 0;
};

struct Source {
  enum class Kind {
    unary,   // data: the unary potential of `subject`
    table,   // data: the table of factor `subject`
    count,   // data: the values by count of factor `subject`
    parity,  // data: the values by sum of factor `subject`
    fixed,   // data: `values` (the parts of a counter)
  };
  Kind kind = Kind::fixed;
  std::uint32_t subject = 0;
  std::vector<double> values;
  std::size_t base = 0;
  std::vector<Id> variables;
  std::vector<std::vector<std::size_t>> offsets;  // per variable, per state
};

struct Problem {
  std::vector<PlainVariable> variables;
  std::vector<Source> sources;
  std::vector<State> only_state;      // per original variable: its single state, if so
  std::vector<std::optional<Id>> of;  // per original variable: its variable here, unless single
  std::vector<std::vector<State>> domain;  // per variable here: original states
  std::vector<FactorId> counters;          // factors that became counters
};

// Factors whose table has more than `expand_up_to` entries become counters, where they can.
Problem restate(const FactorGraph& graph, const Domains& domains, ExactTask task,
                std::uint64_t expand_up_to);

// Whether any factor could become a counter for this task.
bool has_structure(const FactorGraph& graph, FactorId c, ExactTask task);

}  // namespace fgnn::exact
