#include "fgnn/infer/ad3.h"

#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/ad3/propagate.h"
#include "fgnn/infer/ad3/solver.h"
#include "fgnn/infer/repair.h"

namespace fgnn {
namespace {

void answer_infeasible(Result& result, std::string why) {
  result.status = Status::infeasible;
  result.message = std::move(why);
  result.bound = kForbidden;
}

void solve(const FactorGraph& graph, const Ad3Options& options, Result& result) {
  const Deadline deadline(options.time_limit);
  exact::Domains domains = admm::states_left(graph);
  if (!admm::propagate(graph, domains)) {
    return answer_infeasible(result, std::move(domains.contradiction));
  }
  admm::TableStore tables;
  admm::Solver solver(graph, domains, tables, options);
  if (!solver.feasible()) return answer_infeasible(result, solver.contradiction());
  result.status = solver.run({.iterations = options.iterations, .deadline = &deadline});
  result.iterations = solver.iterations();
  result.residuals = solver.residuals();
  result.bound = solver.bound();
  result.marginals = solver.marginals();
  result.assignment = solver.rounded();
  result.score = graph.score(result.assignment);
  if (options.repair && result.status != Status::exact) {
    Repair repaired = repair(graph, result.assignment, options.seed, deadline);
    if (repaired.feasible && repaired.score > result.score) {
      result.assignment = std::move(repaired.assignment);
      result.score = repaired.score;
    }
  }
  if (result.bound - result.score <= options.gap) result.status = Status::exact;
  if (result.score == kForbidden) result.message = "the rounded assignment is forbidden";
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
  Result result;
  result.method = "ad3";
  solve(evidence.empty() ? graph : graph.given(evidence), options, result);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace fgnn
