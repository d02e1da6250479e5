#include "fgnn/infer/costs/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "fgnn/infer/costs/component.h"
#include "fgnn/infer/costs/order.h"
#include "fgnn/infer/costs/sweeps.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/repair.h"

namespace fgnn::costs {
namespace {

double score_of(double cost) { return 0.0 - cost; }  // never minus zero

constexpr const char* kNothing = "every assignment is forbidden";

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
    best_.bound(score_of(bound));
    result.residuals.push_back(gain);
    if (std::has_single_bit(++result.iterations)) {
      const auto states = sweeps.rounded();
      clock_.begin("rounding");
      round(network_->decode(states), limits.gap);
      clock_.begin("sweeps");
    }
    stage.now().bound = score_of(bound);
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
  result.bound = score_of(bound);
  return result;
}

void Solver::round(std::vector<State> assignment, double gap) {
  const double score = graph_.score(assignment);
  best_.offer(assignment, score);
  if (!options_.repair || score >= -store_->bound() - gap) return;
  const Repair repaired = repair(graph_, std::move(assignment), options_.seed, deadline_);
  if (repaired.feasible) best_.offer(repaired.assignment, repaired.score);
}

Result Solver::search(const SweepLimits& sweeps, const SearchLimits& limits) {
  clock_.begin("search");
  const auto parts = network_->components();
  return parts.size() > 1 ? search_parts(parts, sweeps, limits) : search_whole(limits);
}

Result Solver::outcome(bool complete, double bound, std::uint64_t nodes) {
  if (complete && best_.score() == kForbidden) return infeasible_;
  Result result;
  result.bound = score_of(bound);
  best_.bound(result.bound);
  if (!complete) {
    result.status = deadline_.expired() ? stopped_by(deadline_) : Status::iteration_limit;
    result.message = fmt::format("stopped after {} nodes", nodes);
  }
  result.iterations = nodes;
  return result;
}

Result Solver::search_whole(const SearchLimits& limits) {
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
    best_.bound(score_of(bound));
    if (best_.score() != kForbidden) stage.now().score = best_.score();
    stage.now().bound = score_of(bound);
    stage.advance();
  };
  Search search(*store_, rank_, limits, budget_, outside);
  std::vector<std::uint32_t> states;
  const Solution first = best_.best();
  if (!first.assignment.empty() && network_->encode(first.assignment, states)) {
    search.prefer(states);
  }
  const bool complete = search.run();
  return outcome(complete, search.bound(), search.nodes());
}

// The best states of every component together are the best of all; so are the bounds.
Result Solver::search_parts(const std::vector<std::vector<Id>>& parts, const SweepLimits& sweeps,
                            const SearchLimits& limits) {
  Stage stage(options_.control, "branch and bound", static_cast<double>(parts.size()));
  std::vector<std::uint32_t> states;  // the best known of every component; none as long as empty
  double seen = kForbidden;
  const auto look = [&] {
    if (best_.score() <= seen) return;
    std::vector<std::uint32_t> others;
    seen = best_.score();
    if (network_->encode(best_.best().assignment, others)) states = std::move(others);
  };
  look();
  std::vector<Component> components;
  for (const auto& part : parts) {
    components.emplace_back(*network_, part);
    if (!components.back().sweep(rank_, sweeps.passes, sweeps.share, states, deadline_)) {
      return infeasible_;
    }
  }
  const double base = network_->base();
  const auto total = [&] {
    double sum = base;
    for (const Component& component : components) sum += component.bound();
    return sum;
  };
  bool complete = true;
  std::uint64_t nodes = 0;
  SearchLimits each = limits;
  each.gap = limits.gap / static_cast<double>(parts.size());
  for (Component& component : components) {
    double own = states.empty() ? kInfinity : component.cost(states);
    std::vector<std::uint32_t> best = states;
    Search::Outside outside;
    outside.found = [&](const std::vector<std::uint32_t>& found) {
      const double cost = component.cost(found);
      if (cost < own) {
        own = cost;
        if (best.empty()) best.assign(network_->size(), 0);
        component.copy(found, best);
        const std::vector<State> x = network_->decode(best);
        best_.offer(x, graph_.score(x));
      }
      return cost;
    };
    outside.cutoff = [&] {
      look();
      if (!states.empty() && component.cost(states) < own) {
        own = component.cost(states);
        best = states;
      }
      return own;
    };
    outside.on_bound = [&](double bound) {
      component.raise(bound);
      best_.bound(score_of(total()));
    };
    each.nodes = limits.nodes - nodes;
    Search search(component.store(), rank_, each, budget_, outside);
    if (!best.empty()) search.prefer(best);
    const bool done = search.run();
    if (done && own == kInfinity) return infeasible_;
    complete = complete && done;
    component.raise(search.bound());
    nodes += search.nodes();
    if (!best.empty()) {
      if (states.empty()) states = best;
      component.copy(best, states);
    }
    stage.advance();
    if (nodes >= limits.nodes) complete = false;
    if (!complete) break;
  }
  if (!states.empty()) {
    const std::vector<State> x = network_->decode(states);
    best_.offer(x, graph_.score(x));
  }
  return outcome(complete, total(), nodes);
}

}  // namespace fgnn::costs
