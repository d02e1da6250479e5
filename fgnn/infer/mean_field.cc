#include "fgnn/infer/mean_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/log_math.h"
#include "fgnn/core/random.h"
#include "fgnn/core/units.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/marginals_frame.h"
#include "fgnn/infer/repair.h"
#include "fgnn/infer/sums/factor_sums.h"

namespace fgnn {
namespace {

double entropy(std::span<const double> q) {
  double sum = 0;
  for (double p : q) {
    if (p > 0) sum -= p * std::log(p);
  }
  return sum;
}

// sum of q times scores; what has no share may be forbidden.
double mean(std::span<const double> q, const double* scores) {
  double sum = 0;
  for (std::size_t x = 0; x < q.size(); ++x) {
    if (q[x] > 0) sum += q[x] * scores[x];
  }
  return sum;
}

class Solver {
 public:
  Solver(const FactorGraph& graph, const MeanFieldOptions& options, Budget& budget)
      : graph_(graph), options_(options), budget_(budget), sums_(graph, budget), q_(graph) {
    std::size_t widest = 0;
    for (FactorId c = 0; c < graph.num_factors(); ++c) widest = std::max(widest, sums_.slots(c));
    budget.take(sizeof(double) * (4 * graph.total_states() + 2 * widest));
    in_.resize(widest);
    out_.resize(widest);
    score_.resize(graph.total_states());
  }

  Result run() {
    Result result;
    result.status = Status::iteration_limit;
    result.marginals = Marginals(graph_);
    start_softly();
    result.marginals = q_;  // in case that nothing better is found
    Stage stage(options_.control, "mean-field", static_cast<double>(options_.restarts));
    std::size_t without = 0;
    bool late = false;
    for (std::size_t start = 0; start < options_.restarts && !late; ++start) {
      const bool soft = start == 0 && allowed_softly();
      if (!soft && !start_allowed(start)) {
        ++without;
        late = budget_.deadline().expired();
        stage.advance();
        continue;
      }
      late = ascend(result);
      stage.now().bound = result.log_partition_low;
      stage.advance();
    }
    if (late) result.status = stopped_by(budget_.deadline());
    if (result.log_partition_low > kForbidden) {
      result.log_partition = result.log_partition_low;
    } else {
      result.message = "no allowed assignment was found to start from: no bound of ln Z";
    }
    if (without > 0 && result.message.empty()) {
      result.message = fmt::format("no allowed assignment was found for {} of {} starts", without,
                                   options_.restarts);
    }
    return result;
  }

 private:
  // Passes from the present q until the bound stands still; true when the time is over.
  bool ascend(Result& result) {
    double bound = kForbidden;
    for (std::size_t i = 0; i < options_.iterations; ++i) {
      if (!pass()) return true;
      ++result.iterations;
      const double before = std::exchange(bound, evaluate());
      const bool settled = bound - before <= options_.tolerance;
      if (bound > result.log_partition_low) {
        result.log_partition_low = bound;
        result.marginals = q_;
        result.status = settled ? Status::converged : Status::iteration_limit;
      } else if (settled && bound == result.log_partition_low) {
        result.status = Status::converged;
      }
      if (settled) break;
    }
    return budget_.deadline().expired();
  }

  bool pass() {
    TimeCheck time(budget_.deadline());
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      for (EdgeId e : graph_.edges(v)) {
        if (time.late(4 * (1 + sums_.steps(graph_.factor_of(e))))) return false;
      }
      update(v);
    }
    return true;
  }

  // E[theta_c | x_v] of the factor at this edge, into out_.
  void expect(EdgeId e) {
    const FactorId c = graph_.factor_of(e);
    std::size_t slot = 0;
    for (VariableId v : graph_.scope(c)) {
      slot = static_cast<std::size_t>(
          std::copy(q_[v].begin(), q_[v].end(), in_.begin() + static_cast<std::ptrdiff_t>(slot)) -
          in_.begin());
    }
    sums_.expectations(c, e - graph_.first_edge(c), in_.data(), out_.data());
  }

  // The scores of the states of v given the others; false when all of them are forbidden.
  bool scores(VariableId v) {
    const std::span<double> score =
        std::span(score_).subspan(graph_.state_offset(v), graph_.states(v));
    std::ranges::copy(graph_.unary(v), score.begin());
    for (EdgeId e : graph_.edges(v)) {
      expect(e);
      for (std::size_t x = 0; x < score.size(); ++x) score[x] += out_[x];
    }
    return *std::ranges::max_element(score) > kForbidden;
  }

  void update(VariableId v) {
    if (!scores(v)) return;
    const auto q = q_[v];
    std::copy_n(score_.begin() + static_cast<std::ptrdiff_t>(graph_.state_offset(v)), q.size(),
                q.begin());
    normalize_exp(q);
  }

  double evaluate() {
    double total = graph_.constant();
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      total += mean(q_[v], graph_.unary(v).data()) + entropy(q_[v]);
    }
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      if (graph_.arity(c) == 0) continue;
      expect(graph_.first_edge(c));
      total += mean(q_[graph_.scope(c)[0]], out_.data());
    }
    return std::isnan(total) ? kForbidden : total;
  }

  void start_softly() {
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      std::ranges::copy(graph_.unary(v), q_[v].begin());
      normalize_exp(q_[v]);
    }
  }

  // Whether a pass from the soft start ends where nothing forbidden has a share.
  bool allowed_softly() {
    if (!pass()) return false;
    return evaluate() > kForbidden;
  }

  // From an assignment by chance, made allowed.
  bool start_allowed(std::size_t start) {
    Rng rng(options_.seed, start);
    std::vector<State> x(graph_.num_variables());
    for (VariableId v = 0; v < x.size(); ++v) {
      std::vector<State> states;
      for (State s = 0; s < graph_.states(v); ++s) {
        if (graph_.unary(v)[s] > kForbidden) states.push_back(s);
      }
      x[v] = states[rng.below(states.size())];
    }
    const Repair repaired = repair(graph_, std::move(x), options_.seed + start, budget_.deadline());
    if (!repaired.feasible) return false;
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      std::ranges::fill(q_[v], 0.0);
      q_[v][repaired.assignment[v]] = 1;
    }
    return true;
  }

  const FactorGraph& graph_;
  const MeanFieldOptions& options_;
  Budget& budget_;
  FactorSums sums_;
  Marginals q_;
  std::vector<double> in_, out_, score_;
};

}  // namespace

Fields fields(const MeanFieldOptions& o) {
  return Fields()
      .add("iterations", o.iterations)
      .add("restarts", o.restarts)
      .add("tolerance", o.tolerance)
      .add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("time limit", o.time_limit)
      .add("seed", o.seed);
}

void MeanFieldOptions::validate() const {
  if (restarts == 0) throw Error(ErrorCode::usage, "restarts", "must be above zero");
  if (!(tolerance >= 0)) throw Error(ErrorCode::usage, "tolerance", "must be 0 or more");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result mean_field(const FactorGraph& graph, const MeanFieldOptions& options,
                  const Evidence& evidence) {
  return answer_marginals(
      "mean-field", graph, options, evidence,
      [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
        clock.begin("pruning");
        Budget budget("mean-field", options.max_bytes, deadline);
        budget.take(domain_bytes(given));
        const Domains domains = find_domains(given, true, deadline);
        if (!domains.contradiction.empty()) return infeasible(domains.contradiction);
        const FactorGraph pruned = restricted(given, domains);
        clock.begin("ascent");
        return Solver(pruned, options, budget).run();
      });
}

}  // namespace fgnn
