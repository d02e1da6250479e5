// Gathers the factors of a problem that lanes.h can step together.
#pragma once

#include "fgnn/infer/ad3/problem.h"

namespace fgnn::admm {

// Moves pairs, and counts without slopes and turned coordinates, from problem.factors to
// problem.groups, and renumbers the local coordinates: groups first.
void group_lanes(Problem& problem);

}  // namespace fgnn::admm
