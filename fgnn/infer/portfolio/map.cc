#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "fgnn/core/parallel.h"
#include "fgnn/infer/branch_and_bound.h"
#include "fgnn/infer/cost_search.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/message_memory.h"
#include "fgnn/infer/methods.h"
#include "fgnn/infer/mini_bucket.h"
#include "fgnn/infer/portfolio/portfolio.h"
#include "fgnn/infer/search.h"

namespace fgnn {
namespace {

constexpr double kAtOnce = 0.02;  // seconds of elimination that nothing cheaper is tried before
// A quick look: more orders only where branch and bound has not ended soon.
constexpr int kFirstOrders = 4;
constexpr double kFirstPlanning = 0.01;     // seconds
constexpr double kBeforeElimination = 0.3;  // of the time that it is expected to take
// Shares of the time that is left: planning, max-product, the first branch and bound, elimination.
constexpr double kPlanning = 0.1, kFirstAnswer = 0.6, kFirstProof = 0.15, kElimination = 0.5;
constexpr double kBounds = 0.15;                                 // of mini-buckets
constexpr std::size_t kNarrowest = 8, kWidest = 24, kWider = 4;  // bits of them
constexpr double kSearch = 0.6;  // on one thread, before the last branch and bound

class MapPortfolio : public Portfolio {
 public:
  using Portfolio::Portfolio;

  Result run() {
    auto planned = plan(ExactTask::map, kFirstOrders, kFirstPlanning);
    double expected = planned ? seconds_of(planned->cost()) : kInfinity;
    if (expected <= kAtOnce && eliminate(*planned)) return answer();
    if (prove(std::min(share(kFirstProof), std::max(kAtOnce, kBeforeElimination * expected)))) {
      return answer();
    }
    if (!planned) {  // with more time
      planned = plan(ExactTask::map, ExactOptions().orders, share(kPlanning));
      if (planned) expected = seconds_of(planned->cost());
    }
    const bool in_time = planned && expected <= kElimination * deadline_.remaining();
    if (in_time && eliminate(*planned)) return answer();
    improve();
    return answer();
  }

 private:
  // True when nothing is left to do.
  bool eliminate(const ExactPlan& planned) {
    return offer(attempt("exact", [&] { return planned.map(given_, 1, deadline_); }));
  }

  // A branch and bound that may be short: on costs where the tables are small enough, otherwise on
  // relaxations that keep the structure of the factors.
  bool prove(double seconds) {
    if (offer(attempt("branch", [&] { return branch(seconds, options_.control); }))) return true;
    small_tables_ = tried_.back().score > kForbidden || tried_.back().bound < kInfinity;
    if (small_tables_) return false;
    return offer(attempt("ad3-exact", [&] { return relax(seconds, options_.control); }));
  }

  Result branch(double seconds, const Control& control) {
    auto how = within<CostSearchOptions>(seconds);
    how.max_bytes /= 2;
    how.control = control;
    return cost_search(given_, how, {}, &best_);
  }

  Result relax(double seconds, const Control& control) {
    check_message_memory(given_, Kernels::projections, options_.max_bytes);
    BranchOptions how;
    how.time_limit = seconds;
    how.control = how.ad3.control = control;
    how.ad3.seed = options_.seed;
    return ad3_exact(given_, how, {}, best_.best().assignment);
  }

  Result search(double seconds, const Control& control) {
    auto how = within<SearchOptions>(seconds);
    how.max_bytes /= 2;
    how.threads = 1;
    how.control = control;
    how.cycles = ~std::size_t{0};
    return neighbourhood_search(given_, how, {}, best_.best().assignment, &best_);
  }

  // Mini-buckets, as large as a part of the time allows: mostly a lower bound than relaxations
  // give.
  bool bound() {
    const Deadline enough(share(kBounds), {}, options_.control.stop);
    for (std::size_t bits = kNarrowest; bits <= kWidest && !enough.expired(); bits += kWider) {
      const Stopwatch watch;
      auto how = within<MiniBucketOptions>(enough.remaining());
      how.ibound = bits;
      const std::string label = "mini-bucket:ibound=" + std::to_string(bits);
      auto found = attempt(label, [&] { return mini_bucket_map(given_, how); });
      if (!found) break;
      if (offer(std::move(found))) return true;
      if (std::exp2(static_cast<double>(kWider)) * watch.seconds() > enough.remaining()) break;
    }
    return false;
  }

  // Search and branch and bound until the time is over or one of them has settled the matter. On
  // several threads they run side by side; on one the search comes first.
  void improve() {
    MethodOptions how{{options_}};
    how.time_limit = share(kFirstAnswer);
    const Method& max_product = find_method(Query::map, "max-product");
    if (offer(attempt("max-product", [&] { return max_product.solve(given_, how, {}); }))) return;
    if (bound()) return;
    const bool together = options_.threads != 1 && default_threads() > 1;
    std::optional<Result> found[2];
    Trial records[2];
    Error why_not[] = {why_not_, why_not_};
    StopSource settled;
    Control control = options_.control;
    control.stop = control.stop.or_else(settled.token());
    Control unwatched{nullptr, control.stop};  // an observer hears of one thread at a time
    parallel_tasks(together ? 2 : 1, 2, [&](std::size_t i) {
      const double left = std::max(deadline_.remaining(), 1e-3);
      const Control& mine = i > 0 && together ? unwatched : control;
      const char* name = i == 0 ? "search" : small_tables_ ? "branch" : "ad3-exact";
      records[i] = measured(name, found[i], why_not[i], [&] {
        if (i == 0) return search(together ? left : kSearch * left, mine);
        return small_tables_ ? branch(left, mine) : relax(left, mine);
      });
      const bool over =
          found[i] && (found[i]->status == Status::exact || found[i]->status == Status::infeasible);
      if (over) settled.request_stop();
    });
    for (std::size_t i = 0; i < 2; ++i) {
      const bool called_off =
          settled.stop_requested() && found[i] && found[i]->status == Status::interrupted;
      if (called_off) records[i].outcome = "called off";
      tried_.push_back(std::move(records[i]));
      why_not_ = why_not[i];
      offer(std::move(found[i]));
    }
  }

  // Keeps the better assignment and the lower bound.
  bool offer(std::optional<Result> result) {
    if (!result) return done_;
    if (result->status == Status::infeasible) {
      proof_ = std::move(*result);
      return done_ = true;
    }
    if (!result->assignment.empty()) {
      if (best_.offer(result->assignment, result->score) || last_.method.empty()) {
        last_ = std::move(*result);
      }
    }
    best_.bound(result->bound);
    return done_ = meets(best_.score(), best_.bound());
  }

  Result answer() {
    if (proof_) return with_record(std::move(*proof_));
    Result result = std::move(last_);
    const Solution best = best_.best();
    if (!best.assignment.empty()) result.assignment = best.assignment;
    result.bound = best_.bound();
    result.message.clear();
    if (meets(best.score, result.bound)) {
      result.status = Status::exact;
    } else {
      result.status = deadline_.expired() ? stopped_by(deadline_) : Status::iteration_limit;
      if (result.assignment.empty()) {
        result.message = why_not_.what();
      }
    }
    result.trace = best_.trace();
    return with_record(finish_map(given_, std::move(result)));
  }

  Incumbent best_;
  Result last_;                  // of the method that gave the best assignment
  std::optional<Result> proof_;  // that nothing is allowed
  bool small_tables_ = true, done_ = false;
};

// More than one assignment is for elimination alone.
class KBest : public Portfolio {
 public:
  using Portfolio::Portfolio;

  Result run() {
    Result best = exact_map(given_, exact_options(limit(options_)), {}, options_.k);
    tried_.push_back({.method = "exact",
                      .outcome = std::string(name(best.status)),
                      .score = best.score,
                      .bound = best.bound,
                      .seconds = best.seconds});
    return with_record(std::move(best));
  }
};

}  // namespace

Result map_portfolio(const FactorGraph& given, const AutomaticOptions& options) {
  return options.k > 1 ? KBest(given, options).run() : MapPortfolio(given, options).run();
}

}  // namespace fgnn
