// The best answer that time and memory allow, for any graph: exact elimination where it fits,
// otherwise a portfolio that uses the time it is given.
//
// MAP: a cheap plan is carried out at once. Else a short branch and bound may prove an answer (on
// costs, cost_search.h; where tables would be too large, on relaxations, ad3_exact), elimination
// follows where it fits the time, and what is left goes to neighbourhood search and branch and
// bound side by side, which tell each other what they find. The score is the best that was found,
// the bound the least that was proved.
//
// Marginals: exact where it fits, also conditioned on a cut set; else sum-product, with another
// schedule and more damping where it does not settle, then join graphs whose clusters grow while
// there is time. The last that settled is the answer. Mini-buckets and mean field bound ln Z.
#pragma once

#include "fgnn/infer/method_options.h"
#include "fgnn/infer/result.h"

namespace fgnn {

inline constexpr double kAutomaticSeconds = 30;  // where no time limit is given

struct AutomaticOptions : MethodLimits {
  std::size_t k = 1;  // best assignments; more than one is for exact elimination alone

  void validate() const;  // throws Error(usage)
  bool operator==(const AutomaticOptions&) const = default;
};

Fields fields(const AutomaticOptions& options);

// Result::tried has the methods that were tried, and what each found.
Result automatic_map(const FactorGraph& graph, const AutomaticOptions& options = {},
                     const Evidence& evidence = {});
Result automatic_marginals(const FactorGraph& graph, const AutomaticOptions& options = {},
                           const Evidence& evidence = {});

}  // namespace fgnn
