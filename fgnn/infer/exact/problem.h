// A factor graph restated for elimination: variables with the states they can be in, and tables
// addressed by offsets. A table is read through one list of offsets per variable,
//   value(x) = numbers[ base + sum_i offset_i(x_i) ],
// which covers dense tables in any axis order, tables of which only some states are left, functions
// of a count (offset 1 for a chosen state) and the steps of machines alike, so that none is copied
// or expanded. The numbers themselves are found or made later (numbers.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/exact.h"

namespace fgnn::exact {

using Id = std::uint32_t;  // a variable of the restated problem

inline constexpr VariableId kExtra = ~VariableId{0};

struct PlainVariable {
  VariableId original = kExtra;  // kExtra: of the machine that stands for a structured potential
  State states = 0;
};

struct Source {
  enum class Kind : std::uint8_t {
    unary,    // numbers: the unary potential of variable `subject`
    table,    // the table of factor `subject`
    count,    // the values by count of factor `subject`
    machine,  // the steps of its machine (fgnn/graph/views.h)
  };
  struct Axis {
    Id variable;
    std::uint32_t offsets;  // where its offsets by state stand in Problem::offsets
  };
  Kind kind = Kind::unary;
  std::uint32_t subject = 0;
  std::size_t base = 0;
  std::vector<Axis> axes;
  std::vector<Axis> held = {};  // of variables that are conditioned on: part of `base` in a branch
};

struct Problem {
  Reduction reduction = Reduction::each;  // that the machines were asked for
  std::vector<PlainVariable> variables;
  std::vector<Source> sources;
  std::vector<State> only_state;      // per original variable: its single state, if so
  std::vector<std::optional<Id>> of;  // per original variable: its variable here, unless single
  std::vector<std::size_t> offsets;   // equal lists are kept once
  std::vector<FactorId> machines;     // factors that became machines
};

// Bytes of planning the elimination: the problem, its interactions, the search for an order and the
// buckets. Known before any of it is made.
std::uint64_t planning_bytes(const FactorGraph& graph, const Domains& domains, ExactTask task,
                             std::uint64_t expand_up_to);

// How the parts of a machine add up to what the task asks for.
Reduction reduction_of(ExactTask task);

// Factors whose table has more than `expand_up_to` entries become machines, where they can.
Problem restate(const FactorGraph& graph, const Domains& domains, ExactTask task,
                std::uint64_t expand_up_to, const Budget& budget);

// Whether the factor could become a machine for this task.
bool has_structure(const FactorGraph& graph, FactorId c, ExactTask task);

}  // namespace fgnn::exact
