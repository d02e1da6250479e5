#include "fgnn/infer/automatic.h"

#include "fgnn/core/error.h"
#include "fgnn/core/units.h"
#include "fgnn/infer/portfolio/portfolio.h"

namespace fgnn {

Fields fields(const AutomaticOptions& o) {
  return Fields()
      .add("k", o.k)
      .add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("time limit", o.time_limit)
      .add("threads", o.threads)
      .add("seed", o.seed);
}

void AutomaticOptions::validate() const {
  if (k == 0) throw Error(ErrorCode::usage, "k", "must be above zero");
  if (threads < 0) throw Error(ErrorCode::usage, "threads", "must be 0 (all) or more");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result automatic_map(const FactorGraph& graph, const AutomaticOptions& options,
                     const Evidence& evidence) {
  options.validate();
  const FactorGraph given = graph.given(evidence);
  return map_portfolio(given, options);
}

Result automatic_marginals(const FactorGraph& graph, const AutomaticOptions& options,
                           const Evidence& evidence) {
  options.validate();
  const FactorGraph given = graph.given(evidence);
  return marginals_portfolio(given, options);
}

}  // namespace fgnn
