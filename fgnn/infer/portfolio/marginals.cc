#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "fgnn/infer/finish.h"
#include "fgnn/infer/join_graph.h"
#include "fgnn/infer/mean_field.h"
#include "fgnn/infer/methods.h"
#include "fgnn/infer/mini_bucket.h"
#include "fgnn/infer/portfolio/portfolio.h"

namespace fgnn {
namespace {

constexpr std::uint64_t kMostBranches = 1 << 16;  // of a cut set, where elimination does not fit
constexpr double kAtOnce = 0.5;  // seconds of elimination that nothing is tried before
// Shares of the time that is left: planning; what elimination may be expected to take, and what it
// is given; mini-buckets, and mean field; a run of sum-product or of a join graph.
constexpr double kPlanning = 0.15, kElimination = 0.7, kStaked = 0.95, kBounds = 0.1, kRun = 0.5;
constexpr std::size_t kNarrowest = 8, kWidest = 26, kWider = 3;  // bits of clusters

class MarginalsPortfolio : public Portfolio {
 public:
  using Portfolio::Portfolio;

  Result run() {
    const auto planned = plan();
    if (planned && seconds_of(planned->cost()) <= kAtOnce && eliminate(*planned)) return answer();
    // Something to fall back on, before the time is staked on elimination.
    propagate();
    const bool in_time =
        planned && seconds_of(planned->cost()) <= kElimination * deadline_.remaining();
    bound(in_time ? kNarrowest : kWidest);
    if (in_time && eliminate(*planned)) return answer();
    if (!settled()) join();
    if (!best_) {
      throw Error(why_not_.code(), "auto",
                  std::string("no method gave an answer; the last: ") + why_not_.what(),
                  "allow more --memory or --time-limit");
    }
    return answer();
  }

 private:
  // Of elimination; conditioned on a cut set where nothing else fits.
  std::optional<ExactPlan> plan() {
    std::optional<ExactPlan> planned;
    for (const std::uint64_t branches : {std::uint64_t{1}, kMostBranches}) {
      planned =
          Portfolio::plan(ExactTask::marginals, ExactOptions().orders, share(kPlanning), branches);
      if (planned) break;
    }
    return planned;
  }

  bool eliminate(const ExactPlan& planned) {
    const Deadline most(share(kStaked), {}, options_.control.stop);
    auto exact = attempt("exact", [&] { return planned.marginals(given_, most); });
    if (exact) best_ = std::move(*exact);
    return settled();
  }

  // From the cheapest to the most patient, until one settles.
  void propagate() {
    struct Setting {
      Schedule schedule;
      double damping;
    };
    constexpr Setting kSettings[] = {{Schedule::sequential, 0},
                                     {Schedule::residual, 0.1},
                                     {Schedule::sequential, 0.3},
                                     {Schedule::sequential, 0.6}};
    const Method& method = find_method(Query::infer, "sum-product");
    for (const Setting& setting : kSettings) {
      MethodOptions how{{options_}};
      how.schedule = setting.schedule;
      how.damping = setting.damping;
      how.time_limit = share(kRun / 2);
      const std::string label = fmt::format("sum-product:schedule={},damping={}",
                                            name_of(setting.schedule), setting.damping);
      if (offer(attempt(label, [&] { return method.solve(given_, how, {}); }))) break;
      if (deadline_.expired()) break;
    }
  }

  // Proved bounds of ln Z, from mini-buckets as large as time allows, and mean field.
  void bound(std::size_t widest) {
    const Deadline enough(share(kBounds));
    for (std::size_t bits = kNarrowest; bits <= widest && !enough.expired(); bits += kWider) {
      auto how = within<MiniBucketOptions>(enough.remaining());
      how.ibound = bits;
      auto found = attempt(fmt::format("mini-bucket:ibound={}", bits),
                           [&] { return mini_bucket_marginals(given_, how); });
      if (!found) break;
      tighten(*found);
      if (found->status == Status::exact || found->status == Status::infeasible) {
        best_ = std::move(*found);
        return;
      }
    }
    const auto field = within<MeanFieldOptions>(share(kBounds));
    if (auto found = attempt("mean-field", [&] { return mean_field(given_, field); })) {
      tighten(*found);
    }
  }

  // Clusters that grow until a round would take what is left; the largest that settled answer best.
  void join() {
    for (std::size_t bits = kNarrowest; bits <= kWidest && !deadline_.expired(); bits += kWider) {
      const Stopwatch watch;
      auto how = within<JoinGraphOptions>(share(kRun));
      how.ibound = bits;
      auto found = attempt(fmt::format("join-graph:ibound={}", bits),
                           [&] { return join_graph(given_, how); });
      if (!found) break;
      offer(std::move(found));
      if (settled()) break;
      const double next = std::exp2(static_cast<double>(kWider)) * watch.seconds();
      if (next > deadline_.remaining()) break;
    }
  }

  bool settled() const { return best_ && proved(*best_); }
  static bool proved(const Result& result) {
    return result.status == Status::exact || result.status == Status::infeasible;
  }

  void tighten(const Result& result) {
    low_ = std::max(low_, result.log_partition_low);
    high_ = std::min(high_, result.log_partition_high);
  }

  // Keeps the later one where both are settled or neither is. True when it is settled.
  bool offer(std::optional<Result> result) {
    if (!result) return false;
    tighten(*result);
    const bool rests = proved(*result) || result->status == Status::converged;
    const bool better =
        !best_ || rests || (best_->status != Status::converged && unrest(*result) < unrest(*best_));
    if (better) best_ = std::move(*result);
    return rests;
  }

  // How far the messages were from standing still; runs that diverged come last.
  static double unrest(const Result& result) {
    if (result.status == Status::diverged || result.residuals.empty()) return kInfinity;
    return result.residuals.back();
  }

  Result answer() {
    Result result = std::move(*best_);
    if (proved(result)) return with_record(std::move(result));
    result.log_partition_low = std::max(result.log_partition_low, low_);
    result.log_partition_high = std::min(result.log_partition_high, high_);
    if (result.log_partition) {
      result.log_partition =
          std::clamp(*result.log_partition, result.log_partition_low, result.log_partition_high);
    }
    if (result.message.empty()) {
      result.message = "too wide for exact elimination: an approximation by " + result.method;
    }
    return with_record(finish_marginals(given_, std::move(result)));
  }

  std::optional<Result> best_;
  double low_ = kForbidden, high_ = kInfinity;
};

}  // namespace

Result marginals_portfolio(const FactorGraph& given, const AutomaticOptions& options) {
  return MarginalsPortfolio(given, options).run();
}

}  // namespace fgnn
