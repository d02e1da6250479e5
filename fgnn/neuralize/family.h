// An algorithm compiled for a family of graphs: one set of weights for all of them, with the
// potentials as input features. The family is known by the names of its relations:
//
//   "pair"    four log-potentials of two binary variables as features; kinds by position
//   "budget"  at most k of n binary variables, k as steps 1[k >= 1] … 1[k >= n]; kinds by position.
//             All n variables must be there: windows cut off at the ends are another family
//   "check"   even parity of any number of bits, without features; one kind
//
// These are the features of the tasks, so that a compiled network is trained and evaluated like any
// other. The first two variable features are the log-potentials; sum-product leaves further ones to
// what is learned beside it.
//
// Sum-product: a pair has the rank-1 terms of its four joint states, weighted by the table; budgets
// of one width share n + 1 terms, weighted by a linear function of the steps; a check has two.
// Max-product: a pair is the maximum over its joint states (Lemma 1), a budget the maximum over all
// sets of variables that may be one, 2^n terms; no checks.
#pragma once

#include "fgnn/neuralize/compile.h"

namespace fgnn::neuralize {

struct FamilyOptions {
  CompileOptions compile;
  // Sum-product with potentials to the power 1 / temperature: towards 0 it becomes max-product.
  double temperature = 1;
  // Sum-product: added to the potential of checks, so that messages end at its logarithm. Above the
  // rounding of the numbers it is run in (1e-7 for float), certainty is never overstated.
  double floor = 0;
  std::size_t slots = 12;    // max-product: most factors of one relation at a variable
  double ceiling = 4096;     // max-product: the cost of what is forbidden
  double largest_pair = 16;  // max-product: no log-potential of a pair is above

  void validate() const;  // throws Error(usage)
};

// Throws Error(unsupported) naming a relation that is not one of the above.
network::Model compile_family(const network::Schema& schema, const FamilyOptions& options);

}  // namespace fgnn::neuralize
