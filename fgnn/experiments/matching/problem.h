// Matching as MAP: a variable for each point of the smaller side, whose states are the points of
// the larger one, all different, with
//
//   theta_i(j)        = a cos(f_i, f_j) - b |p_i - p_j|^2                  by variable
//   theta_ik(j, l)    = e exp(-|(p_k - p_i) - (p_l - p_j)|^2 / 2 sigma^2)  by arc of the first side
//
// The terms of pairs are those of the quadratic assignment problem (the paper's equation for
// hand-crafted affinities): an arc of one side that looks like one of the other wants to be matched
// to it. Arcs join each point to its nearest ones (neighbours = 0: to all).
#pragma once

#include "fgnn/experiments/matching/points.h"
#include "fgnn/experiments/matching/scores.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn::matching {

struct ProblemOptions {
  double feature = 0, position = 0;  // a and b above
  double edge = 1, sigma = 0.5;      // e and sigma
  std::size_t neighbours = 0;

  void validate() const;  // throws Error(usage)

  // Terms of pairs alone, every unary 0: what the hand-crafted methods of the paper's table know.
  static ProblemOptions unit();
  // With descriptions and positions.
  static ProblemOptions full();
};

struct Problem {
  FactorGraph graph;
  bool turned = false;  // variables are the points of the second side
  std::size_t first = 0, second = 0;

  Matching matching(const std::vector<State>& assignment) const;
};

// Throws Error(usage) for fewer than two points on a side, and for descriptions that are asked for
// and not there.
Problem make_problem(const PointSet& first, const PointSet& second, const ProblemOptions& options);

// The same with theta_i(j) given by scores, the terms of pairs times `options.edge`.
Problem make_problem(const PointSet& first, const PointSet& second, const Scores& scores,
                     const ProblemOptions& options);

// theta_i(j) above.
Scores unary_scores(const PointSet& first, const PointSet& second, const ProblemOptions& options);

}  // namespace fgnn::matching
