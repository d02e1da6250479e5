// The branches of a cut set (cutset.h): depth first over the joint states of its variables, with an
// elimination of the rest at each leaf. Held variables cost nothing there: a source is read from
// another place.
//
// A partial assignment of the cut set is bounded by one elimination in which every source takes its
// maximum over the variables that are not yet held, each source for itself,
//   max_x score(x | held) <= max_rest sum_s max_open phi_s,
// as mini-buckets do (Dechter and Rish 2003). Branches whose bound is below the best score, or
// forbidden, are not entered; those of the better bound come first.
#pragma once

#include <optional>
#include <vector>

#include "fgnn/infer/exact/passes.h"

namespace fgnn::exact {

struct Branching {
  const Problem& problem;
  const std::vector<Id>& cut;
  const Pass& pass;  // of the rest; its data are those of the problem's sources as they stand
  // Maxima are given up when the eliminations would visit more joint states than this.
  double most_operations = kInfinity;
};

struct BranchSum {
  double log_partition = kForbidden;            // with the sources that have no variables
  std::vector<std::vector<double>> posteriors;  // by variable of the problem
};

BranchSum sum_of_branches(const Branching& branching);

// The best of all branches, forbidden if every one is; nothing where it was given up.
std::optional<Best> best_of_branches(const Branching& branching);

}  // namespace fgnn::exact
