#include "fgnn/infer/gibbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "fgnn/core/budget.h"
#include "fgnn/core/error.h"
#include "fgnn/core/log_math.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/units.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/marginals_frame.h"
#include "fgnn/infer/sampling/chain.h"

namespace fgnn {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kNormalQuantile = 1.959964;  // of 97.5 %
constexpr double kFew = 0.5;     // share of effective chains below which their spread says little
constexpr double kMixed = 1.1;   // R-hat
constexpr double kShare = 0.25;  // effective chains of all
constexpr double kStill = 1e-4;  // variances of probabilities below this do not matter

// Student's quantile of 97.5 %, to first orders in 1 / freedom (Cornish and Fisher).
double student(double freedom) {
  const double z = kNormalQuantile, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

struct Estimate {
  double log_mean = kForbidden;  // of the weights
  double effective = 0;          // (sum w)^2 / sum w^2
  SampledInterval interval;      // of ln Z / Z_0
};

Estimate estimate(const std::vector<double>& log_weights) {
  Estimate result;
  result.interval.confidence = kConfidence;
  const auto n = static_cast<double>(log_weights.size());
  const double high = log_weights.empty() ? kForbidden : *std::ranges::max_element(log_weights);
  if (high == kForbidden) return result;
  double sum = 0, squares = 0;
  for (double w : log_weights) {
    sum += std::exp(w - high);
    squares += std::exp(2 * (w - high));
  }
  result.log_mean = high + std::log(sum / n);
  result.effective = sum * sum / squares;
  // Markov: the mean of n weights is above Z / (1 - 97.5 %) once in forty times.
  result.interval.low = result.log_mean + std::log((1 - kConfidence) / 2);
  if (log_weights.size() < 2 || result.effective < kFew * n) return result;
  const double mean = sum / n;
  const double variance = std::max(0.0, (squares - n * mean * mean) / (n - 1));
  const double off = student(n - 1) * std::sqrt(variance / n) / mean;
  if (off < 1) {
    result.interval.low = std::max(result.interval.low, result.log_mean + std::log1p(-off));
  }
  result.interval.high = result.log_mean + std::log1p(off);
  return result;
}

// The largest R-hat of any state; 1: the chains agree, infinite: they stand still apart.
double r_hat(const std::vector<ChainRecord>& chains) {
  std::vector<const ChainRecord*> used;
  for (const ChainRecord& chain : chains) {
    if (chain.samples >= 2) used.push_back(&chain);
  }
  if (used.size() < 2) return kInfinity;
  double largest = 1;
  const auto m = static_cast<double>(used.size());
  for (std::size_t s = 0; s < used[0]->sum.size(); ++s) {
    double within = 0, mean = 0, squares = 0, least = kInfinity;
    for (const ChainRecord* chain : used) {
      const auto n = static_cast<double>(chain->samples);
      const double own = chain->sum[s] / n;
      within += std::max(0.0, chain->squares[s] / n - own * own) * n / (n - 1) / m;
      mean += own / m;
      squares += own * own / m;
      least = std::min(least, n);
    }
    const double between = std::max(0.0, squares - mean * mean) * m / (m - 1);
    if (between < kStill) continue;
    const double ratio = within < kStill ? kInfinity : (least - 1) / least + between / within;
    largest = std::max(largest, std::sqrt(ratio));
  }
  return largest;
}

class Sampler {
 public:
  Sampler(const FactorGraph& graph, const GibbsOptions& options, const Budget& budget)
      : graph_(graph), options_(options), budget_(budget), chains_(options.chains) {}

  Result run() {
    Stage stage(options_.control, "chains", static_cast<double>(chains_.size()));
    std::mutex mutex;
    const int threads = options_.threads == 0 ? default_threads() : options_.threads;
    parallel_tasks(threads, chains_.size(), [&](std::size_t i) {
      chains_[i] = Chain(graph_, options_.seed, i).run(options_.sweeps, budget_.deadline());
      const std::lock_guard lock(mutex);
      stage.advance();
    });
    return answer();
  }

 private:
  Result answer() const {
    Result result;
    std::vector<double> log_weights;
    for (const ChainRecord& chain : chains_) {
      if (chain.annealed) log_weights.push_back(chain.log_weight);
      result.log_partition_low = std::max(result.log_partition_low, chain.best_score);
    }
    Estimate found = estimate(log_weights);
    const double start = log_z_0();
    if (found.log_mean > kForbidden) {
      result.log_partition = std::max(start + found.log_mean, result.log_partition_low);
    }
    found.interval.low += start;
    found.interval.high += start;
    result.log_partition_sampled = found.interval;
    result.marginals = mean(found.log_mean);
    const double spread = r_hat(chains_);
    const bool mixed =
        spread < kMixed && found.effective >= kShare * static_cast<double>(chains_.size());
    result.status = mixed ? Status::converged : Status::iteration_limit;
    if (budget_.deadline().expired()) result.status = stopped_by(budget_.deadline());
    result.iterations = 2 * options_.sweeps;
    result.message =
        fmt::format("R-hat {:.3g}, weights worth {:.3g} of {} chains{}", spread, found.effective,
                    chains_.size(), mixed ? "" : ": not mixed, mind what was sampled");
    return result;
  }

  double log_z_0() const {
    double total = graph_.constant();
    for (VariableId v = 0; v < graph_.num_variables(); ++v) total += log_sum_exp(graph_.unary(v));
    return total;
  }

  // Means of the chains by their weights; of all alike where none has any. A variable that was
  // never drawn has the distribution of its unary potential.
  Marginals mean(double log_mean) const {
    Marginals result(graph_);
    std::vector<double> total(graph_.total_states(), 0.0);
    for (const ChainRecord& chain : chains_) {
      if (chain.samples == 0) continue;
      const double weight = log_mean > kForbidden ? std::exp(chain.log_weight - log_mean) : 1;
      for (std::size_t s = 0; s < total.size(); ++s) {
        total[s] += weight * chain.sum[s] / static_cast<double>(chain.samples);
      }
    }
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      const std::span own = std::span(total).subspan(graph_.state_offset(v), graph_.states(v));
      const auto row = result[v];
      if (std::ranges::all_of(own, [](double p) { return p == 0; })) {
        std::ranges::copy(graph_.unary(v), row.begin());
        normalize_exp(row);
      } else {
        std::ranges::copy(own, row.begin());
        normalize(row);
      }
    }
    return result;
  }

  const FactorGraph& graph_;
  const GibbsOptions& options_;
  const Budget& budget_;
  std::vector<ChainRecord> chains_;
};

}  // namespace

Fields fields(const GibbsOptions& o) {
  return Fields()
      .add("chains", o.chains)
      .add("sweeps", o.sweeps)
      .add("threads", o.threads)
      .add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("time limit", o.time_limit)
      .add("seed", o.seed);
}

void GibbsOptions::validate() const {
  if (chains < 2) throw Error(ErrorCode::usage, "chains", "must be 2 or more");
  if (sweeps == 0) throw Error(ErrorCode::usage, "sweeps", "must be above zero");
  if (threads < 0) throw Error(ErrorCode::usage, "threads", "must be 0 (all) or more");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result gibbs(const FactorGraph& graph, const GibbsOptions& options, const Evidence& evidence) {
  return answer_marginals(
      "gibbs", graph, options, evidence,
      [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
        clock.begin("pruning");
        Budget budget("gibbs", options.max_bytes, deadline);
        budget.take(domain_bytes(given));
        const Domains domains = find_domains(given, true, deadline);
        if (!domains.contradiction.empty()) return infeasible(domains.contradiction);
        const FactorGraph pruned = restricted(given, domains);
        for (std::size_t i = 0; i < options.chains; ++i) budget.take(Chain::bytes(pruned));
        clock.begin("chains");
        return Sampler(pruned, options, budget).run();
      });
}

}  // namespace fgnn
