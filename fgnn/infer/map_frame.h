// What MAP methods do around their search: options checked, evidence folded in, time by phase, and
// the answer finished in the one place for that.
#pragma once

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
Result answer_map(const char* method, const FactorGraph& graph, const Options& options,
                  const Evidence& evidence, double proof_gap, Search search) {
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
  return finish_map(given, std::move(result), proof_gap);
}

}  // namespace fgnn
