#include "fgnn/infer/ad3.h"

#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/ad3/propagate.h"
#include "fgnn/infer/ad3/solver.h"
#include "fgnn/infer/map_frame.h"
#include "fgnn/infer/repair.h"

namespace fgnn {
namespace {

Result solve(const FactorGraph& graph, const Ad3Options& options, const Deadline& deadline,
             PhaseClock& clock) {
  clock.begin("pruning");
  Domains domains = admm::states_left(graph);
  if (!admm::propagate(graph, domains, {}, deadline))
    return infeasible(std::move(domains.contradiction));
  clock.begin("set-up");
  TableStore tables(deadline);
  admm::Solver solver(graph, domains, tables, options);
  if (!solver.feasible()) return infeasible(solver.contradiction());
  clock.begin("iterations");
  Result result;
  result.status = solver.run(
      {.iterations = options.iterations, .deadline = deadline, .control = options.control});
  result.iterations = solver.iterations();
  result.residuals = solver.residuals();
  result.bound = solver.bound();
  result.marginals = solver.marginals();
  result.assignment = solver.rounded();
  const double score = graph.score(result.assignment);
  if (options.repair && !meets(score, result.bound, options.gap)) {
    clock.begin("repair");
    Repair repaired = repair(graph, result.assignment, options.seed, deadline);
    if (repaired.feasible && repaired.score > score) {
      result.assignment = std::move(repaired.assignment);
    }
  }
  return result;
}

}  // namespace

Fields fields(const Ad3Options& o) {
  return Fields()
      .add("iterations", o.iterations)
      .add("tolerance", o.tolerance)
      .add("step", o.step)
      .add("adapt step", o.adapt_step)
      .add("repair", o.repair)
      .add("gap", o.gap)
      .add("seed", o.seed)
      .add("time limit", o.time_limit);
}

void Ad3Options::validate() const {
  const auto refuse = [](const char* what, const char* why) {
    throw Error(ErrorCode::usage, what, why);
  };
  if (!(tolerance >= 0)) refuse("tolerance", "must be 0 or more");
  if (!(step > 0) || step == kInfinity) refuse("step", "must be positive");
  if (!(gap >= 0)) refuse("gap", "must be 0 or more");
  if (!(time_limit > 0)) refuse("time limit", "must be positive");
}

Result ad3(const FactorGraph& graph, const Ad3Options& options, const Evidence& evidence) {
  return answer_map("ad3", graph, options, evidence, options.gap,
                    [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
                      return solve(given, options, deadline, clock);
                    });
}

}  // namespace fgnn
