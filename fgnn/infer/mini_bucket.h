// Mini-bucket elimination (Dechter and Rish 2003): bucket elimination within a given size.
//
// Where joining all functions of a variable would take more than 2^ibound joint states, they are
// shared among mini-buckets, each of which eliminates the variable alone. That bounds from above
//   max_x prod_r f_r <= prod_r max_x f_r,
// and for sums, with weights w_r that add up to one (Liu and Ihler 2011, by Hölder's inequality)
//   sum_x prod_r f_r <= prod_r ( sum_x f_r^(1/w_r) )^(w_r),
// and from below with one positive weight and negative ones. What mini-buckets of one variable say
// of their common variables is levelled before (moment and max-marginal matching). With enough bits
// both bounds are the exact answer. Cost: variables x 2^ibound joint states in time and memory.
#pragma once

#include <cstdint>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/core/words.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

// How a sum is shared among the mini-buckets of a variable.
enum class BucketWeights {
  equal,   // a power sum each, of equal weights: nearly always the tighter bounds
  single,  // one sum, and maxima or minima: the first mini-buckets that were
};
const Words<BucketWeights>& words_of(BucketWeights);

struct MiniBucketOptions {
  std::size_t ibound = 12;  // log2 of the joint states of the largest mini-bucket
  BucketWeights weights = BucketWeights::equal;
  bool shift = true;  // level mini-buckets of one variable
  int orders = 8;     // of elimination, of which the cheapest is taken
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // Error(too_large) above
  double time_limit = kInfinity;                     // seconds; Error(time_limit) when exceeded
  Control control;
  std::uint64_t seed = 0;

  void validate() const;  // throws Error(usage)
  bool operator==(const MiniBucketOptions&) const = default;
};

Fields fields(const MiniBucketOptions& options);

// Bounds of ln Z on both sides, the upper one as estimate, and its derivatives as marginals.
Result mini_bucket_marginals(const FactorGraph& graph, const MiniBucketOptions& options = {},
                             const Evidence& evidence = {});

// An upper bound, and the assignment that follows the messages, repaired where it is forbidden.
Result mini_bucket_map(const FactorGraph& graph, const MiniBucketOptions& options = {},
                       const Evidence& evidence = {});

}  // namespace fgnn
