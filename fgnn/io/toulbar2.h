// The program toulbar2 (https://toulbar2.github.io), an exact solver of weighted constraint
// satisfaction, where it is installed: the one door to it. What it answers is scored here, on the
// graph that was given: it rounds costs to seven digits.
//
// Version 1.1.1, Debian's, adds a second table over variables that already have one with its axes
// in the wrong order, when they are named in another order. What it is given has therefore one
// table for each set of variables, named in ascending order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

bool have_toulbar2();

// The same model with one table per set of variables, in ascending order, each with 0 as its
// largest entry, and without the constant: the same assignments are best. Tables are taken from the
// budget, where there is one; throws Error(too_large) for factors whose tables are too large.
FactorGraph with_one_table_per_scope(const FactorGraph& graph, Budget* budget = nullptr);

struct Toulbar2Options {
  double time_limit = kInfinity;               // seconds, of its start and reading too
  std::uint64_t max_bytes = Budget::kNoLimit;  // of its address space
};

struct Toulbar2Answer {
  std::vector<State> assignment;  // empty: none was found
  bool proved = false;            // the optimum, to seven digits
  bool infeasible = false;        // it found that all assignments are forbidden
  double seconds = 0;             // from its start to its end
};

// On one thread. `model` is a UAI file, such as write_graph makes of with_one_table_per_scope.
Toulbar2Answer run_toulbar2(const std::filesystem::path& model,
                            const Toulbar2Options& options = {});

// Writes the graph to a file of its own and runs it.
Toulbar2Answer toulbar2_map(const FactorGraph& graph, const Toulbar2Options& options = {});

}  // namespace fgnn
