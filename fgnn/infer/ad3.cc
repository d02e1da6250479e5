#include "fgnn/infer/ad3.h"

#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/ad3/propagate.h"
#include "fgnn/infer/ad3/solver.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/repair.h"

namespace fgnn {
namespace {

Result solve(const FactorGraph& graph, const Ad3Options& options, const Deadline& deadline) {
  Domains domains = admm::states_left(graph);
  if (!admm::propagate(graph, domains, {}, deadline))
    return infeasible(std::move(domains.contradiction));
  TableStore tables(deadline);
  admm::Solver solver(graph, domains, tables, options);
  if (!solver.feasible()) return infeasible(solver.contradiction());
  Result result;
  result.status = solver.run({.iterations = options.iterations, .deadline = deadline});
  result.iterations = solver.iterations();
  result.residuals = solver.residuals();
  result.bound = solver.bound();
  result.marginals = solver.marginals();
  result.assignment = solver.rounded();
  const double score = graph.score(result.assignment);
  if (options.repair && !meets(score, result.bound, options.gap)) {
    Repair repaired = repair(graph, result.assignment, options.seed, deadline);
    if (repaired.feasible && repaired.score > score) {
      result.assignment = std::move(repaired.assignment);
    }
  }
  return result;
}

}  // namespace

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
  options.validate();
  const Stopwatch watch;
  const FactorGraph given = graph.given(evidence);
  Result result = solve(given, options, Deadline(options.time_limit, watch));
  result.method = "ad3";
  result.seconds = watch.seconds();
  return finish_map(given, std::move(result), options.gap);
}

}  // namespace fgnn
