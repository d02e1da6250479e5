#include "fgnn/infer/trws.h"

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/infer/costs/solver.h"
#include "fgnn/infer/map_frame.h"

namespace fgnn {

Fields fields(const TrwsOptions& o) {
  return Fields()
      .add("iterations", o.iterations)
      .add("tolerance", o.tolerance)
      .add("repair", o.repair)
      .add("seed", o.seed)
      .add("time limit", o.time_limit);
}

void TrwsOptions::validate() const {
  if (iterations == 0) throw Error(ErrorCode::usage, "iterations", "must be at least 1");
  if (!(tolerance >= 0)) throw Error(ErrorCode::usage, "tolerance", "must be 0 or more");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result trws(const FactorGraph& graph, const TrwsOptions& options, const Evidence& evidence) {
  return answer_map(
      "trw-s", graph, options, evidence, kProofGap,
      [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
        Incumbent best;
        costs::Solver solver(
            given, {"trw-s", options.max_bytes, options.seed, options.repair, options.control},
            deadline, clock, best);
        const auto variables = static_cast<double>(std::max<std::size_t>(1, given.num_variables()));
        Result result =
            solver.sweep({options.iterations, options.tolerance * variables, 0, kProofGap / 10});
        if (result.status == Status::infeasible) return result;
        result.assignment = best.best().assignment;
        result.trace = best.trace();
        return result;
      });
}

}  // namespace fgnn
