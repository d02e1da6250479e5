// What methods for marginals do around their search: options checked, evidence folded in, time by
// phase, and the answer finished in the one place for that.
#pragma once

#include <span>
#include <utility>

#include "fgnn/core/control.h"
#include "fgnn/core/phases.h"
#include "fgnn/core/timing.h"
#include "fgnn/graph/evidence.h"
#include "fgnn/infer/finish.h"

namespace fgnn {

// `search` takes the graph given the evidence, a deadline and the clock of phases, and returns what
// it claims.
template <class Options, class Search>
Result answer_marginals(const char* method, const FactorGraph& graph, const Options& options,
                        const Evidence& evidence, Search search) {
  options.validate();
  const Stopwatch watch;
  PhaseClock clock;
  clock.begin("evidence");
  const FactorGraph given = graph.given(evidence);
  Result result = search(given, Deadline(options.time_limit, watch, options.control.stop), clock);
  result.method = method;
  result.options = {options, options};
  result.phases = clock.take();
  result.seconds = watch.seconds();
  return finish_marginals(given, std::move(result));
}

// Weights into probabilities; all zero: all equal.
inline void normalize(std::span<double> weights) {
  double sum = 0;
  for (double w : weights) sum += w;
  for (double& w : weights) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(weights.size());
}

}  // namespace fgnn
