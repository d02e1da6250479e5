#include "fgnn/infer/costs/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "fgnn/infer/costs/order.h"
#include "fgnn/infer/costs/sweeps.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/repair.h"

namespace fgnn::costs {
namespace {

constexpr const char* kNothing = "every assignment is forbidden";

// States that an elimination has forbidden. False: a variable has no other.
bool remove_forbidden(Store& store) {
  for (Id v = 0; v < store.size(); ++v) {
    if (store.left(v).empty()) continue;  // eliminated
    for (std::size_t k = store.left(v).size(); k-- > 0;) {
      const std::uint32_t x = store.left(v)[k];
      if (store.unary(v, x) == kInfinity) store.remove(v, x);
    }
    if (store.left(v).empty()) return false;
  }
  store.forget();
  return true;
}

}  // namespace

Solver::Solver(const FactorGraph& graph, const SolverOptions& options, const Deadline& deadline,
               PhaseClock& clock, Incumbent& best)
    : graph_(graph),
      options_(options),
      deadline_(deadline),
      clock_(clock),
      best_(best),
      budget_(options.name, options.max_bytes, deadline) {}

bool Solver::prepare() {
  clock_.begin("pruning");
  const Domains domains = find_domains(graph_, true, deadline_);
  infeasible_ = infeasible(domains.contradiction.empty() ? kNothing : domains.contradiction);
  if (!domains.contradiction.empty()) return false;
  clock_.begin("costs");
  network_.emplace(graph_, domains, budget_);
  if (network_->base() == kInfinity) return false;
  store_.emplace(*network_);
  rank_ = elimination_rank(*network_, deadline_);
  return remove_forbidden(*store_);
}

Result Solver::sweep(const SweepLimits& limits) {
  if (!prepare()) return infeasible_;
  clock_.begin("sweeps");
  Sweeps sweeps(*store_, rank_);
  Stage stage(options_.control, "sweeps", static_cast<double>(limits.passes));
  Result result;
  result.status = Status::iteration_limit;
  double bound = store_->bound();
  while (result.iterations < limits.passes && sweeps.pass(deadline_)) {
    const double gain = store_->bound() - bound;
    bound = store_->bound();
    best_.bound(-bound);
    result.residuals.push_back(gain);
    if (std::has_single_bit(++result.iterations)) {
      const auto states = sweeps.rounded();
      clock_.begin("rounding");
      round(network_->decode(states), limits.gap);
      clock_.begin("sweeps");
    }
    stage.now().bound = -bound;
    stage.advance();
    const double open = -best_.score() - bound;
    if (open <= limits.gap || gain <= limits.tolerance || gain <= limits.share * open) {
      result.status = Status::converged;
      break;
    }
  }
  if (sweeps.contradiction()) return infeasible_;
  if (deadline_.expired()) result.status = stopped_by(deadline_);
  if (deadline_.expired() || !std::has_single_bit(result.iterations)) {
    round(network_->decode(sweeps.rounded()), limits.gap);
  }
  result.bound = -bound;
  return result;
}

void Solver::round(std::vector<State> assignment, double gap) {
  const double score = graph_.score(assignment);
  best_.offer(assignment, score);
  if (!options_.repair || score >= -store_->bound() - gap) return;
  const Repair repaired = repair(graph_, std::move(assignment), options_.seed, deadline_);
  if (repaired.feasible) best_.offer(repaired.assignment, repaired.score);
}

Result Solver::search(const SearchLimits& limits) {
  clock_.begin("search");
  Stage stage(options_.control, "branch and bound", 0);
  Search::Outside outside;
  outside.found = [&](const std::vector<std::uint32_t>& states) {
    const std::vector<State> x = network_->decode(states);
    const double score = graph_.score(x);
    best_.offer(x, score);
    return -score;
  };
  outside.cutoff = [&] { return -best_.score(); };
  outside.on_bound = [&](double bound) {
    best_.bound(-bound);
    if (best_.score() != kForbidden) stage.now().score = best_.score();
    stage.now().bound = -bound;
    stage.advance();
  };
  Search search(*store_, rank_, limits, budget_, outside);
  std::vector<std::uint32_t> states;
  const Solution first = best_.best();
  if (!first.assignment.empty() && network_->encode(first.assignment, states)) {
    search.prefer(states);
  }
  const bool complete = search.run();
  if (complete && best_.score() == kForbidden) return infeasible_;
  Result result;
  result.bound = -search.bound();
  best_.bound(result.bound);
  if (!complete) {
    result.status = deadline_.expired() ? stopped_by(deadline_) : Status::iteration_limit;
    result.message = fmt::format("stopped after {} nodes", search.nodes());
  }
  result.iterations = search.nodes();
  return result;
}

}  // namespace fgnn::costs
