// What a parity-check matrix is like: cycles of its graph, and words of low weight. All of them
// throw Error(time_limit) when the budget's time is over.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fgnn/codes/parity_matrix.h"
#include "fgnn/core/budget.h"

namespace fgnn::codes {

// Length of the shortest cycle; 0 when there is none. Searches from every column as deep as half
// the best found so far: O(columns * reach).
std::uint32_t girth(const SparseParityMatrix& checks, const Budget& budget = no_limits());

// Numbers of cycles by length, for the lengths girth, girth + 2, … up to 2 girth - 2 and at most
// `longest`. Closed walks that never turn back are counted: below twice the girth each is a cycle.
// Lengths that would take more than some seconds are left out.
std::map<std::uint32_t, std::uint64_t> short_cycles(const SparseParityMatrix& checks,
                                                    std::uint32_t girth, std::uint32_t longest = 8,
                                                    const Budget& budget = no_limits());

struct LowWeightWords {
  std::uint32_t least = 0;                           // smallest weight found; 0: nothing was found
  std::map<std::uint32_t, std::uint64_t> by_weight;  // distinct words found of weight least … + 2
};

// Looks for words of low weight: bases of random columns, and all sums of up to two rows of the
// generator in such a basis (Lee and Brickell 1988). The weight found is an upper bound of the
// minimum distance, the numbers are lower bounds. Codes of more than 4096 bits are not searched.
LowWeightWords low_weight_words(const SparseParityMatrix& checks, std::uint64_t seed = 0,
                                const Budget& budget = no_limits());

}  // namespace fgnn::codes
