#include "fgnn/infer/cost_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/costs/order.h"
#include "fgnn/infer/costs/search.h"
#include "fgnn/infer/costs/sweeps.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/map_frame.h"
#include "fgnn/infer/repair.h"

namespace fgnn {
namespace {

constexpr double kLeastGain = 1e-3;  // of the gap, by a sweep: below that, search does more

class Solver {
 public:
  Solver(const FactorGraph& graph, const CostSearchOptions& options, const Deadline& deadline,
         PhaseClock& clock, Incumbent& best)
      : graph_(graph),
        options_(options),
        deadline_(deadline),
        clock_(clock),
        best_(best),
        budget_("branch", options.max_bytes, deadline) {}

  Result run() {
    clock_.begin("pruning");
    const Domains domains = find_domains(graph_, true, deadline_);
    if (!domains.contradiction.empty()) return infeasible(domains.contradiction);
    clock_.begin("costs");
    const costs::Network network(graph_, domains, budget_);
    if (network.base() == kInfinity) return infeasible("every assignment is forbidden");
    costs::Store store(network);
    const auto rank = costs::elimination_rank(network, deadline_);
    if (!sweep(network, store, rank)) return infeasible("every assignment is forbidden");
    return search(network, store, rank);
  }

 private:
  double cutoff() const { return -best_.score() - options_.gap; }

  void round(const costs::Network& network, costs::Sweeps& sweeps) {
    std::vector<State> x = network.decode(sweeps.rounded());
    best_.offer(x, graph_.score(x));
    if (graph_.score(x) != kForbidden && -graph_.score(x) <= bound_ + options_.gap) return;
    const Repair repaired = repair(graph_, std::move(x), options_.seed, deadline_);
    if (repaired.feasible) best_.offer(repaired.assignment, repaired.score);
  }

  // False: nothing is allowed.
  bool sweep(const costs::Network& network, costs::Store& store,
             const std::vector<std::uint32_t>& rank) {
    clock_.begin("sweeps");
    for (costs::Id v = 0; v < store.size(); ++v) {
      for (std::size_t k = store.left(v).size(); k-- > 0;) {
        if (store.unary(v, store.left(v)[k]) == kInfinity) store.remove(v, store.left(v)[k]);
      }
      if (store.left(v).empty() && !network.unary(v).empty()) return false;
    }
    store.forget();
    costs::Sweeps sweeps(store, rank);
    bound_ = store.bound();
    for (std::size_t i = 0; i < options_.sweeps && !deadline_.expired(); ++i) {
      const double before = bound_;
      if (!sweeps.pass(deadline_)) {
        if (sweeps.contradiction()) return false;
        break;
      }
      bound_ = store.bound();
      best_.bound(-bound_);
      if ((i & (i + 1)) == 0) round(network, sweeps);
      const double gap = -best_.score() - bound_;
      if (gap <= options_.gap || bound_ - before <= kLeastGain * gap) break;
    }
    return true;
  }

  Result search(const costs::Network& network, costs::Store& store,
                const std::vector<std::uint32_t>& rank) {
    clock_.begin("search");
    Stage stage(options_.control, "branch and bound", 0);
    costs::Search::Outside outside;
    outside.found = [&](const std::vector<std::uint32_t>& states) {
      const std::vector<State> x = network.decode(states);
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
    costs::Search search(store, rank, {options_.gap, options_.nodes}, budget_, outside);
    std::vector<std::uint32_t> states;
    const Solution first = best_.best();
    if (!first.assignment.empty() && network.encode(first.assignment, states)) {
      search.prefer(states);
    }
    const bool complete = search.run();
    Result result;
    if (complete && best_.score() == kForbidden) return infeasible("every assignment is forbidden");
    result.bound = -search.bound();
    best_.bound(result.bound);
    if (!complete) {
      result.status = deadline_.expired() ? stopped_by(deadline_) : Status::iteration_limit;
      result.message = fmt::format("stopped after {} nodes", search.nodes());
    }
    result.iterations = search.nodes();
    return result;
  }

  const FactorGraph& graph_;
  const CostSearchOptions& options_;
  Deadline deadline_;
  PhaseClock& clock_;
  Incumbent& best_;
  Budget budget_;
  double bound_ = -kInfinity;
};

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
                      Result result = Solver(given, options, deadline, clock, best).run();
                      if (result.status != Status::infeasible) {
                        result.assignment = best.best().assignment;
                        result.trace = best.trace();
                      }
                      return result;
                    });
}

}  // namespace fgnn
