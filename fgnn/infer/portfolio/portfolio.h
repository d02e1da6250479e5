// What the portfolios of `auto` share: the graph given the evidence, the clock, and the record of
// what was tried.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/automatic.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/own_methods.h"

namespace fgnn {

class Portfolio {
 public:
  // Both must outlive this.
  Portfolio(const FactorGraph& given, const AutomaticOptions& options);

 protected:
  static double limit(const AutomaticOptions& options) {
    return options.time_limit == kInfinity ? kAutomaticSeconds : options.time_limit;
  }
  // Seconds: a part of those that are left.
  double share(double part) const;

  // Options of a method with the limits given, and these seconds.
  template <class Options>
  Options within(double seconds) const {
    MethodOptions how{{options_}};
    how.time_limit = std::max(seconds, 1e-3);
    return limited<Options>(how);
  }
  ExactOptions exact_options(double seconds) const;
  // What elimination is expected to take.
  double seconds_of(const ExactCost& cost) const;
  // A plan with the memory given, if there is one that fits; conditioned on up to so many branches.
  std::optional<ExactPlan> plan(ExactTask task, int orders, double seconds,
                                std::uint64_t branches = 1);

  // Runs a method and says how it ended. Nothing is found where it reached a limit of its own.
  // Serves several threads, each with places of its own for what was found and why nothing was.
  template <class Run>
  static Trial measured(std::string method, std::optional<Result>& found, Error& why_not, Run run) {
    const Stopwatch watch;
    Trial record{.method = std::move(method)};
    try {
      found = run();
      record.outcome = std::string(name(found->status));
      record.score = found->score;
      record.bound = found->bound;
    } catch (const Error& error) {
      if (!survivable(error)) throw;
      record.outcome = std::string(name(error.code()));
      why_not = error;
    }
    record.seconds = watch.seconds();
    return record;
  }

  template <class Run>
  std::optional<Result> attempt(std::string method, Run run) {
    std::optional<Result> found;
    tried_.push_back(measured(std::move(method), found, why_not_, run));
    return found;
  }

  Result with_record(Result result);

  const FactorGraph& given_;
  const AutomaticOptions& options_;
  Stopwatch watch_;
  Deadline deadline_;
  std::vector<Trial> tried_;
  // Why the last method that gave no answer did not.
  Error why_not_{ErrorCode::time_limit, "auto", "there was no time"};

 private:
  // Limits that end one method and leave the others a chance.
  static bool survivable(const Error& error);
};

// In the portfolios' own files.
Result map_portfolio(const FactorGraph& given, const AutomaticOptions& options);
Result marginals_portfolio(const FactorGraph& given, const AutomaticOptions& options);

}  // namespace fgnn
