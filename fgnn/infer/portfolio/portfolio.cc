#include "fgnn/infer/portfolio/portfolio.h"

#include <algorithm>

#include "fgnn/core/parallel.h"

namespace fgnn {
namespace {

// Joint states that elimination visits in a second on one thread, at least.
constexpr double kStatesPerSecond = 1e8;

}  // namespace

Portfolio::Portfolio(const FactorGraph& given, const AutomaticOptions& options)
    : given_(given), options_(options), deadline_(limit(options), {}, options.control.stop) {}

double Portfolio::share(double part) const { return std::max(part * deadline_.remaining(), 1e-3); }

ExactOptions Portfolio::exact_options(double seconds) const {
  auto exact = within<ExactOptions>(seconds);
  exact.threads = options_.threads;
  return exact;
}

double Portfolio::seconds_of(const ExactCost& cost) const {
  const int threads = options_.threads == 0 ? default_threads() : options_.threads;
  return cost.operations / (kStatesPerSecond * threads);
}

std::optional<ExactPlan> Portfolio::plan(ExactTask task, int orders, double seconds,
                                         std::uint64_t branches) {
  std::optional<ExactPlan> made;
  const Stopwatch watch;
  ExactOptions exact = exact_options(std::min(seconds, share(1)));
  exact.orders = orders;
  exact.max_branches = branches;
  try {
    made.emplace(given_, task, exact);
  } catch (const Error& error) {
    if (!survivable(error)) throw;
    why_not_ = error;
    tried_.push_back({.method = "exact",
                      .outcome = std::string(name(error.code())),
                      .seconds = watch.seconds()});
  }
  return made;
}

Result Portfolio::with_record(Result result) {
  result.method = "auto";
  result.options = {options_, options_};
  result.tried = std::move(tried_);
  result.seconds = watch_.seconds();
  return result;
}

bool Portfolio::survivable(const Error& error) {
  switch (error.code()) {
    case ErrorCode::too_wide:
    case ErrorCode::too_large:
    case ErrorCode::time_limit:
    case ErrorCode::unsupported:
      return true;
    default:
      return false;
  }
}

}  // namespace fgnn
