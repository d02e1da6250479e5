#include "fgnn/infer/cost_search.h"

#include "fgnn/core/error.h"
#include "fgnn/infer/costs/solver.h"
#include "fgnn/infer/map_frame.h"

namespace fgnn {
namespace {

constexpr double kLeastGain = 1e-3;  // of the gap, by a sweep: below that, search does more

Result solve(const FactorGraph& given, const CostSearchOptions& options, const Deadline& deadline,
             PhaseClock& clock, Incumbent& best) {
  costs::Solver solver(given, {"branch", options.max_bytes, options.seed, true, options.control},
                       deadline, clock, best);
  const costs::SweepLimits sweeps{options.sweeps, 0, kLeastGain, options.gap};
  Result result = solver.sweep(sweeps);
  if (result.status == Status::infeasible) return result;
  return solver.search(sweeps, {options.gap, options.nodes});
}

}  // namespace

Fields fields(const CostSearchOptions& o) {
  return Fields()
      .add("gap", o.gap)
      .add("sweeps", o.sweeps)
      .add("seed", o.seed)
      .add("time limit", o.time_limit);
}

void CostSearchOptions::validate() const {
  if (!(gap >= 0)) throw Error(ErrorCode::usage, "gap", "must be 0 or more");
  if (nodes == 0) throw Error(ErrorCode::usage, "nodes", "must be at least 1");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result cost_search(const FactorGraph& graph, const CostSearchOptions& options,
                   const Evidence& evidence, Incumbent* shared) {
  return answer_map("branch", graph, options, evidence, kProofGap,
                    [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
                      Incumbent own;
                      Incumbent& best = shared != nullptr ? *shared : own;
                      Result result = solve(given, options, deadline, clock, best);
                      if (result.status != Status::infeasible) {
                        result.assignment = best.best().assignment;
                        result.trace = best.trace();
                      }
                      return result;
                    });
}

}  // namespace fgnn
