// The eight symmetries of a square grid, for instances of D5: turning and mirroring one gives
// another whose best assignment is turned and mirrored with it.
#pragma once

#include <vector>

#include "fgnn/experiments/synthetic/instances.h"

namespace fgnn::synthetic {

constexpr int kSquareSymmetries = 8;

// Symmetry 0 leaves everything as it is. Pairs and budgets end in the order of an instance that was
// made so: those of one side share their structure.
void turn(SyntheticInstance& grid, std::vector<State>& labels, std::size_t side, int symmetry);

}  // namespace fgnn::synthetic
