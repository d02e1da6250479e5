#include "fgnn/infer/compare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/mean.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/exact.h"

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
    ExactOptions exact;
    exact.max_bytes = options.max_bytes;
    exact.time_limit = options.time_limit;
    exact.threads = options.threads;
    exact.seed = options.seed;
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

struct Attempt {
  std::optional<Result> result;
  std::string status;
};

template <class Solve>
Attempt attempt(Solve&& solve_now) {
  try {
    Result result = solve_now();
    std::string status(name(result.status));
    return {std::move(result), std::move(status)};
  } catch (const Error& error) {
    if (!is_limit(error.code())) throw;
    return {std::nullopt, std::string(name(error.code()))};
  }
}

// What is known of one variant so far.
struct Tally {
  std::size_t instances = 0, answered = 0, feasible = 0, settled = 0, with_reference = 0,
              optimal = 0;
  std::string status;
  Mean agreement, score, bound, score_gap, bound_gap, iterations, seconds;

  void add(const Attempt& attempt, const Result* reference) {
    ++instances;
    status = attempt.status;
    with_reference += reference != nullptr;
    if (!attempt.result) return;
    ++answered;
    const Result& result = *attempt.result;
    const bool allowed = result.score != kForbidden;
    feasible += allowed;
    settled += result.status == Status::exact || result.status == Status::converged;
    iterations.add(static_cast<double>(result.iterations));
    seconds.add(result.seconds);
    if (allowed) score.add(result.score);
    if (std::isfinite(result.bound)) bound.add(result.bound);
    if (reference) compare(result, *reference);
  }

  void compare(const Result& result, const Result& reference) {
    optimal += same_score(result.score, reference.score);
    if (!result.assignment.empty()) {
      std::size_t equal = 0;
      for (std::size_t v = 0; v < result.assignment.size(); ++v) {
        equal += result.assignment[v] == reference.assignment[v];
      }
      agreement.add(percent(static_cast<double>(equal), result.assignment.size()));
    }
    if (result.score != kForbidden) score_gap.add(difference(reference.score, result.score));
    if (std::isfinite(result.bound)) bound_gap.add(difference(result.bound, reference.score));
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
  std::vector<Tally> tallies;
  ExactReference exact;

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
    for (std::size_t i = 0; i < attempts.size(); ++i) tallies[i].add(attempts[i], best);
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

std::vector<ComparisonRow> Comparison::rows() const {
  std::vector<ComparisonRow> rows;
  for (std::size_t i = 0; i < impl_->variants.size(); ++i) {
    const MethodVariant& variant = impl_->variants[i];
    ComparisonRow& row = rows.emplace_back(impl_->tallies[i].row(variant.label));
    // Many graphs share one plan; a single one has to pay for it.
    if (variant.method->name == "exact" && row.instances == 1) {
      row.microseconds += 1e6 * impl_->exact.planning_seconds();
    }
  }
  return rows;
}

}  // namespace fgnn
