// From the rows that a network gives to points, to scores of matches, and to a matching.
//
// A score is an inner product s_ij = <y_i, z_j>. Where points may be without a partner, the last
// column of a row is apart: a point's score for nobody is |y_i| times it, the inner product with a
// unit vector of the row's own length.
#pragma once

#include <span>
#include <vector>

#include "fgnn/experiments/matching/points.h"

namespace fgnn::matching {

struct Scores {
  std::size_t first = 0, second = 0;  // points of either side
  std::vector<double> match;          // first x second
  // For nobody, by point; empty where every point of the smaller side has a partner.
  std::vector<double> first_nobody, second_nobody;

  double operator()(std::size_t i, std::size_t j) const { return match[i * second + j]; }
};

// Rows of all points, those of the first side first. `nobody`: the last column is apart.
Scores scores_of(std::span<const double> rows, std::size_t width, std::size_t first, bool nobody);

// log softmax over rows, and over columns, with nobody as one more choice where there is one.
struct LogShares {
  std::vector<double> row, column;  // first x second
  std::vector<double> row_nobody, column_nobody;
};
LogShares log_shares(const Scores& scores);

struct Matching {
  std::vector<std::int32_t> partner;  // of the points of the first side, or kNobody
  std::vector<double> probability;    // of each: the geometric mean of its row's and column's share
};

// The likeliest one-to-one matching when rows and columns are independent: the largest sum of the
// logarithms of both shares (Hungarian method). Without nobody, all points of the smaller side
// have a partner. By the scores themselves, rather than by their shares, where `plain`.
Matching best_matching(const Scores& scores, bool plain = false);

}  // namespace fgnn::matching
