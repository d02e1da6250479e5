// What the rows of the points of a pair cost: cross-entropy over the rows and over the columns of
// the matrix of scores (scores.h), half of each, for points that have a partner
//
//   L = 1/2 sum_i (log sum_j exp s_ij - s_i,p(i)) + 1/2 sum_j (log sum_i exp s_ij - s_p(j),j)
//
// and, where nobody is a choice, also for those that have none. Correct is a point of the first
// side whose partner the Hungarian method finds; where nobody is a choice, also a point that is
// rightly left alone. Matches are also measured by F1 = 2 right / (found + wanted).
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/experiments/matching/points.h"
#include "fgnn/tasks/loss.h"

namespace fgnn::matching {

// Every row's class is the row of its partner; without one, -1 on the first side and -2 on the
// second. Rows of the first side come first.
std::vector<std::int64_t> labels_of(const PointPair& pair);

extern const tasks::Loss kMatchingLoss, kMatchingOrNobodyLoss;

}  // namespace fgnn::matching
