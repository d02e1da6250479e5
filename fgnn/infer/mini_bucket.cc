#include "fgnn/infer/mini_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/units.h"
#include "fgnn/infer/map_frame.h"
#include "fgnn/infer/marginals_frame.h"
#include "fgnn/infer/minibucket/mini_buckets.h"
#include "fgnn/infer/repair.h"

namespace fgnn {
namespace {

using minibucket::Bound;
using minibucket::MiniBuckets;
using minibucket::Place;

std::string message_of(const MiniBuckets& buckets) {
  std::string text;
  if (buckets.scheme().split > 0) {
    text = fmt::format("{} of {} variables were split into mini-buckets", buckets.scheme().split,
                       buckets.size());
  }
  if (buckets.relaxed() > 0) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} factors too large for a table count by the range of their scores",
                        buckets.relaxed());
  }
  return text;
}

// What the assignment that follows the messages becomes.
Repair decoded(const FactorGraph& given, const MiniBuckets& buckets, std::uint64_t seed,
               const Deadline& deadline) {
  Repair found;
  found.assignment = buckets.assignment(buckets.greedy());
  found.score = given.score(found.assignment);
  found.feasible = found.score != kForbidden;
  Repair repaired = repair(given, found.assignment, seed, deadline);
  return repaired.feasible && repaired.score > found.score ? repaired : found;
}

// The states of the assignment by place; none for variables that stand for parts of factors.
std::vector<State> by_place(const MiniBuckets& buckets, const std::vector<State>& assignment) {
  std::vector<State> x(buckets.size(), minibucket::kNone);
  for (Place p = 0; p < x.size(); ++p) {
    const auto v = buckets.variable(p);
    for (State s = 0; v && s < buckets.states(p); ++s) {
      if (buckets.state(p, s) == assignment[*v]) x[p] = s;
    }
  }
  return x;
}

// The best of minima under negative weights, levelled and not, and of one state for what is split;
// and Z is at least what one assignment adds to it.
double lower_bound(const FactorGraph& given, const MiniBuckets& buckets,
                   const MiniBucketOptions& options, Budget& budget) {
  Hold hold(budget);
  hold.take(minibucket::pass_bytes(buckets.scheme()));
  const Repair found = decoded(given, buckets, options.seed, budget.deadline());
  double best = found.score;
  if (buckets.relaxed() > 0) return best;
  minibucket::PassOptions how{.bound = Bound::below,
                              .weighted = options.weights == BucketWeights::equal,
                              .shift = options.shift};
  const auto improve = [&] {
    const minibucket::Pass pass = buckets.pass_of(how);
    if (!pass.reliable()) return;
    best = std::max(best, pass.total() + buckets.constant(Bound::below));
  };
  if (found.feasible) how.held = by_place(buckets, found.assignment);
  improve();
  how.shift = false;
  improve();
  how.always_hold = true;
  if (found.feasible) improve();
  return best;
}

Marginals marginals_of(const FactorGraph& given, const MiniBuckets& buckets, Budget& budget) {
  Hold hold(budget);
  hold.take(minibucket::pass_bytes(buckets.scheme()));
  return minibucket::marginals(given, buckets.model(), buckets.scheme(),
                               buckets.pass().marginals(budget));
}

}  // namespace

const Words<BucketWeights>& words_of(BucketWeights) {
  static const Words<BucketWeights> kWords{
      "a kind of weights", {{"equal", BucketWeights::equal}, {"single", BucketWeights::single}}};
  return kWords;
}

Fields fields(const MiniBucketOptions& o) {
  return Fields()
      .add("ibound", o.ibound)
      .add("weights", std::string(name_of(o.weights)))
      .add("shift", o.shift)
      .add("orders", o.orders)
      .add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("time limit", o.time_limit)
      .add("seed", o.seed);
}

void MiniBucketOptions::validate() const {
  if (ibound == 0 || ibound > 40) throw Error(ErrorCode::usage, "ibound", "must be 1 to 40");
  if (orders < 1) throw Error(ErrorCode::usage, "orders", "must be above zero");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result mini_bucket_marginals(const FactorGraph& graph, const MiniBucketOptions& options,
                             const Evidence& evidence) {
  return answer_marginals(
      "mini-bucket", graph, options, evidence,
      [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
        clock.begin("upper bound");
        Budget budget("mini-bucket", options.max_bytes, deadline);
        Stage stage(options.control, "mini-buckets", 3);
        const MiniBuckets buckets(given, options, Bound::above, budget);
        if (!buckets.contradiction().empty()) return infeasible(buckets.contradiction());
        if (buckets.bound() == kForbidden) return infeasible({});
        stage.advance();
        Result result;
        result.log_partition = result.log_partition_high = buckets.bound();
        clock.begin("marginals");
        result.marginals = marginals_of(given, buckets, budget);
        stage.advance();
        if (!buckets.exact()) {
          clock.begin("lower bound");
          result.log_partition_low = lower_bound(given, buckets, options, budget);
          result.status = Status::converged;
          result.message = message_of(buckets);
        }
        stage.advance();
        return result;
      });
}

Result mini_bucket_map(const FactorGraph& graph, const MiniBucketOptions& options,
                       const Evidence& evidence) {
  return answer_map("mini-bucket", graph, options, evidence, kProofGap,
                    [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
                      clock.begin("bound");
                      Budget budget("mini-bucket", options.max_bytes, deadline);
                      Stage stage(options.control, "mini-buckets", 2);
                      const MiniBuckets buckets(given, options, Bound::max, budget);
                      if (!buckets.contradiction().empty()) {
                        return infeasible(buckets.contradiction());
                      }
                      if (buckets.bound() == kForbidden) return infeasible({});
                      stage.advance();
                      clock.begin("decoding");
                      Repair found = decoded(given, buckets, options.seed, deadline);
                      Result result;
                      result.status = Status::converged;
                      result.assignment = std::move(found.assignment);
                      result.bound = buckets.bound();
                      result.message = message_of(buckets);
                      stage.advance();
                      return result;
                    });
}

}  // namespace fgnn
