// What methods do around their search: options checked, evidence folded in, time by phase. Methods
// take it in one of the two forms that also finish the answer (map_frame.h, marginals_frame.h).
#pragma once

#include <utility>

#include "fgnn/core/control.h"
#include "fgnn/core/phases.h"
#include "fgnn/core/timing.h"
#include "fgnn/graph/evidence.h"
#include "fgnn/infer/result.h"

namespace fgnn {

// `search` takes the graph given the evidence, a deadline and the clock of phases, and returns what
// it claims; `finish` takes that graph and the claims.
template <class Options, class Search, class Finish>
Result answer_in_frame(const char* method, const FactorGraph& graph, const Options& options,
                       const Evidence& evidence, Search search, Finish finish) {
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
  return finish(given, std::move(result));
}

}  // namespace fgnn
