#include "fgnn/infer/compare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/mean.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/own_methods.h"

namespace fgnn {
namespace {

// Scores that differ by rounding are the same optimum.
bool same_score(double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(b)); }

double difference(double a, double b) { return same_score(a, b) ? 0 : a - b; }

double percent(double part, std::size_t whole) {
  return whole ? 100 * part / static_cast<double>(whole) : 0;
}

// Exact MAP with a plan that is kept as long as the structure stays.
class ExactReference {
 public:
  double planning_seconds() const { return planning_seconds_; }

  Result solve(const FactorGraph& graph, const MethodOptions& options) {
    if (plan_ && graph.same_structure(planned_)) {
      try {
        return timed([&] { return plan_->map(graph); });
      } catch (const Error& error) {
        // The plan has built a potential in that this graph does not share: a new plan.
        if (error.code() != ErrorCode::model) throw;
      }
    }
    ExactOptions exact = exact_options(options);
    exact.prune = false;
    const Stopwatch watch;
    plan_ = std::make_unique<ExactPlan>(graph, ExactTask::map, exact);
    planning_seconds_ = watch.seconds();
    planned_ = graph;
    return timed([&] { return plan_->map(graph); });
  }

 private:
  template <class Solve>
  static Result timed(Solve&& solve_now) {
    const Stopwatch watch;
    Result result = solve_now();
    result.seconds = watch.seconds();
    return result;
  }

  std::unique_ptr<ExactPlan> plan_;
  FactorGraph planned_;
  double planning_seconds_ = 0;  // of the last plan
};

constexpr std::uint64_t kUnaskedBytes = std::uint64_t{64} << 20;

bool is_limit(ErrorCode code) {
  return code == ErrorCode::too_large || code == ErrorCode::too_wide ||
         code == ErrorCode::time_limit || code == ErrorCode::unsupported;
}

// An answer, or why there is none.
struct Attempt {
  std::optional<Result> result;
  ErrorCode refusal = ErrorCode::internal;
};

template <class Solve>
Attempt attempt(Solve&& solve_now) {
  try {
    Attempt done{solve_now()};
    if (done.result->status == Status::interrupted) {
      throw Error(ErrorCode::interrupted, done.result->method, "interrupted");
    }
    return done;
  } catch (const Error& error) {
    if (!is_limit(error.code())) throw;
    return {std::nullopt, error.code()};
  }
}

// What one graph says of a variant: plain bytes, because ranks send theirs to each other.
struct Outcome {
  bool answered = false, allowed = false, bounded = false, assigned = false, with_reference = false,
       optimal = false;
  Status status = Status::exact;
  ErrorCode refusal = ErrorCode::internal;
  double iterations = 0, seconds = 0, score = 0, bound = 0, agreement = 0, score_gap = 0,
         bound_gap = 0;

  Outcome() = default;
  Outcome(const Attempt& attempt, const Result* reference)
      : answered(attempt.result), with_reference(reference), refusal(attempt.refusal) {
    if (!attempt.result) return;
    const Result& result = *attempt.result;
    status = result.status;
    allowed = result.score != kForbidden;
    bounded = std::isfinite(result.bound);
    iterations = static_cast<double>(result.iterations);
    seconds = result.seconds;
    score = result.score;
    bound = result.bound;
    if (reference) compare(result, *reference);
  }

  bool settled() const {
    return answered && (status == Status::exact || status == Status::converged);
  }

 private:
  void compare(const Result& result, const Result& reference) {
    optimal = same_score(result.score, reference.score);
    score_gap = difference(reference.score, result.score);
    bound_gap = difference(result.bound, reference.score);
    assigned = !result.assignment.empty();
    std::size_t equal = 0;
    for (std::size_t v = 0; v < result.assignment.size(); ++v) {
      equal += result.assignment[v] == reference.assignment[v];
    }
    agreement = percent(static_cast<double>(equal), result.assignment.size());
  }
};

// What is known of one variant so far.
struct Tally {
  std::size_t instances = 0, answered = 0, feasible = 0, settled = 0, with_reference = 0,
              optimal = 0;
  std::string status;
  Mean agreement, score, bound, score_gap, bound_gap, iterations, seconds;

  void add(const Outcome& o) {
    ++instances;
    status = o.answered ? name(o.status) : name(o.refusal);
    with_reference += o.with_reference;
    if (!o.answered) return;
    ++answered;
    feasible += o.allowed;
    settled += o.settled();
    optimal += o.optimal;
    iterations.add(o.iterations);
    seconds.add(o.seconds);
    if (o.allowed) score.add(o.score);
    if (o.bounded) bound.add(o.bound);
    if (!o.with_reference) return;
    if (o.assigned) agreement.add(o.agreement);
    if (o.allowed) score_gap.add(o.score_gap);
    if (o.bounded) bound_gap.add(o.bound_gap);
  }

  ComparisonRow row(std::string label) const {
    ComparisonRow row;
    row.method = std::move(label);
    row.instances = instances;
    row.answered = answered;
    row.status = instances == 1 ? status : "";
    row.agreement = agreement.value();
    row.agreement_error = agreement.error();
    if (with_reference) {
      row.exact_instances = percent(static_cast<double>(optimal), with_reference);
    }
    row.feasible = percent(static_cast<double>(feasible), instances);
    row.settled = percent(static_cast<double>(settled), instances);
    row.score = score.value();
    row.bound = bound.value();
    row.score_gap = score_gap.value();
    row.bound_gap = bound_gap.value();
    row.iterations = iterations.value().value_or(0);
    row.microseconds = 1e6 * seconds.value().value_or(0);
    return row;
  }
};

}  // namespace

struct Comparison::Impl {
  std::vector<MethodVariant> variants;
  std::vector<Tally> tallies;     // of what was joined
  std::vector<Outcome> unjoined;  // by graph and variant
  ExactReference exact;

  std::vector<Tally> with(const std::vector<Outcome>& outcomes) const {
    std::vector<Tally> all = tallies;
    for (std::size_t i = 0; i < outcomes.size(); ++i) all[i % all.size()].add(outcomes[i]);
    return all;
  }

  void add(const FactorGraph& graph) {
    const Attempt reference = attempt([&] { return exact.solve(graph, reference_limits()); });
    std::vector<Attempt> attempts;
    for (const MethodVariant& variant : variants) {
      attempts.push_back(variant.method->name == "exact" ? reference : attempt([&] {
        return variant.method->solve(graph, variant.options, {});
      }));
    }
    const Result* best = proved(reference);
    for (const Attempt& other : attempts) best = best ? best : proved(other);
    for (const Attempt& one : attempts) unjoined.emplace_back(one, best);
  }

  // Nobody waits long for a reference that was not asked for.
  MethodOptions reference_limits() const {
    MethodOptions limits;
    for (const MethodVariant& variant : variants) {
      limits = variant.options;
      if (variant.method->name == "exact") return limits;
    }
    limits.max_bytes = std::min(limits.max_bytes, kUnaskedBytes);
    return limits;
  }

  // The answer, if it is known to be the optimum.
  static const Result* proved(const Attempt& attempt) {
    const bool is = attempt.result && attempt.result->status == Status::exact &&
                    attempt.result->score != kForbidden;
    return is ? &*attempt.result : nullptr;
  }
};

Comparison::Comparison(std::vector<MethodVariant> variants) : impl_(std::make_unique<Impl>()) {
  impl_->tallies.resize(variants.size());
  impl_->variants = std::move(variants);
}

Comparison::~Comparison() = default;
Comparison::Comparison(Comparison&&) noexcept = default;

void Comparison::add(const FactorGraph& graph, const Evidence& evidence) {
  impl_->add(evidence.empty() ? graph : graph.given(evidence));
}

void Comparison::join(cluster::Group& group) {
  impl_->tallies = impl_->with(group.join(impl_->unjoined));
  impl_->unjoined.clear();
}

std::vector<ComparisonRow> Comparison::rows() const {
  const std::vector<Tally> tallies = impl_->with(impl_->unjoined);
  std::vector<ComparisonRow> rows;
  for (std::size_t i = 0; i < impl_->variants.size(); ++i) {
    const MethodVariant& variant = impl_->variants[i];
    ComparisonRow& row = rows.emplace_back(tallies[i].row(variant.label));
    // Many graphs share one plan; a single one has to pay for it.
    if (variant.method->name == "exact" && row.instances == 1) {
      row.microseconds += 1e6 * impl_->exact.planning_seconds();
    }
  }
  return rows;
}

}  // namespace fgnn
