// Random graphs of tables for the suites of belief propagation.
#pragma once

#include <cstdint>

#include "fgnn/graph/factor_graph.h"

namespace fgnn::bench {

// side x side variables, a random table per pair of neighbours.
FactorGraph table_grid(std::size_t side, State states, std::uint64_t seed);
// Binary variables and as many factors with tables over 3 to 6 of them, at random.
FactorGraph scattered_tables(std::size_t variables, std::uint64_t seed);
// Factors without common variables, each with a table over `arity` binary ones.
FactorGraph separate_tables(std::size_t arity, std::size_t factors, std::uint64_t seed);
// The same with sums of `rank` rank-1 terms, none negative.
FactorGraph separate_low_ranks(std::size_t arity, std::size_t factors, std::size_t rank,
                               std::uint64_t seed);

}  // namespace fgnn::bench
