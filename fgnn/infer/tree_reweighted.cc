#include "fgnn/infer/tree_reweighted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/log_math.h"
#include "fgnn/core/units.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/forests/forests.h"
#include "fgnn/infer/marginals_frame.h"
#include "fgnn/infer/sums/factor_sums.h"

namespace fgnn {
namespace {

constexpr double kLongest = 1e6;  // messages below -kLongest are cut: any messages give a bound
constexpr double kMostDamping = 0.9;
constexpr double kRounding = 1e-12;

class Solver {
 public:
  Solver(const FactorGraph& graph, const TreeReweightedOptions& options, Budget& budget)
      : graph_(graph),
        options_(options),
        deadline_(budget.deadline()),
        forests_(cover(graph, options.seed, budget)),
        sums_(graph, budget),
        belief_(graph.unaries().begin(), graph.unaries().end()) {
    first_.push_back(0);
    std::size_t widest = 0;
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      first_.push_back(first_.back() + sums_.slots(c));
      widest = std::max(widest, sums_.slots(c));
    }
    budget.take(sizeof(double) * (2 * first_.back() + 3 * belief_.size()));
    messages_.assign(first_.back(), 0.0);
    in_.resize(widest);
    out_.resize(widest);
  }

  Result run() {
    Result result;
    result.status = Status::iteration_limit;
    Stage stage(options_.control, "tree-reweighted", static_cast<double>(options_.iterations));
    std::size_t next_look = 1;
    bool late = !look();
    while (result.iterations < options_.iterations && contradiction_.empty() && !late) {
      late = !pass();
      if (late) break;
      ++result.iterations;
      result.residuals.push_back(change_);
      if (result.iterations == next_look) {
        late = !look();
        next_look += std::min(next_look, std::max<std::size_t>(16, forests_.all.size()));
      }
      stage.now().residual = change_;
      stage.now().bound = bound_;
      stage.advance();
      late |= deadline_.expired();
      if (change_ <= options_.tolerance && !late) {
        result.status = Status::converged;
        break;
      }
    }
    if (late || !look()) result.status = stopped_by(deadline_);
    if (!contradiction_.empty()) return infeasible(contradiction_);
    if (bound_ == kForbidden) return infeasible({});
    return answer(std::move(result));
  }

 private:
  Result answer(Result result) const {
    result.marginals = Marginals(graph_);
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      const double* b = &belief_[graph_.state_offset(v)];
      std::copy_n(b, graph_.states(v), result.marginals[v].begin());
      normalize_exp(result.marginals[v]);
    }
    result.log_partition_high = bound_;
    if (bound_ < kInfinity) result.log_partition = bound_;
    const bool tree = forests_.all.size() == 1;
    if (tree && bound_ < kInfinity) result.log_partition_low = bound_;
    if (!tree) {
      result.message = fmt::format("a mean over {} forests", forests_.all.size());
    }
    return result;
  }

  // What flows into the factor less its own message, whose states are those of `flow`.
  void fill_in(FactorId c, const std::vector<double>& flow) {
    std::size_t slot = 0;
    for (VariableId v : graph_.scope(c)) {
      for (State x = 0; x < graph_.states(v); ++x, ++slot) {
        const double f = flow[graph_.state_offset(v) + x];
        in_[slot] = f == kForbidden ? kForbidden : f - messages_[first_[c] + slot];
      }
    }
  }

  // One update of every factor in turn; false when the time is over.
  bool pass() {
    change_ = 0;
    TimeCheck time(deadline_);
    for (FactorId c = 0; c < graph_.num_factors() && contradiction_.empty(); ++c) {
      if (time.late(16 * (1 + sums_.steps(c)))) return false;
      update(c);
    }
    return true;
  }

  void update(FactorId c) {
    fill_in(c, belief_);
    sums_.messages(c, forests_.share[c], in_.data(), out_.data());
    std::size_t slot = 0;
    for (VariableId v : graph_.scope(c)) {
      const std::size_t offset = graph_.state_offset(v);
      double high = kForbidden;
      for (State x = 0; x < graph_.states(v); ++x) {
        if (belief_[offset + x] > kForbidden) high = std::max(high, out_[slot + x]);
      }
      for (State x = 0; x < graph_.states(v); ++x, ++slot)
        set(c, slot, offset + x, out_[slot] - high);
      const double* b = &belief_[offset];
      if (*std::max_element(b, b + graph_.states(v)) == kForbidden && contradiction_.empty()) {
        contradiction_ = graph_.name(v) + ": its factors leave no state allowed";
      }
    }
  }

  void set(FactorId c, std::size_t slot, std::size_t state, double message) {
    double& belief = belief_[state];
    if (belief == kForbidden) return;
    if (!(message > kForbidden)) {  // the factor forbids the state; not a number: all of them
      belief = kForbidden;
      return;
    }
    double& old = messages_[first_[c] + slot];
    message = std::max(message, -kLongest);
    const double change = (1 - damping_) * (message - old);
    change_ = std::max(change_, std::abs(message - old));
    old += change;
    belief += forests_.share[c] * change;
  }

  // Keeps the messages of the least bound. Those that made it worse go back, and what follows is
  // more careful. False when there was no time to look.
  bool look() {
    if (!contradiction_.empty()) return true;
    refresh();
    const std::optional<double> bound = evaluate();
    if (!bound) return false;
    if (*bound <= bound_ + kRounding * std::abs(bound_) || best_.empty()) {
      bound_ = std::min(bound_, *bound);
      best_ = messages_;
    } else {
      messages_ = best_;
      refresh();
      damping_ = std::min(kMostDamping, (1 + damping_) / 2);
    }
    return true;
  }

  // The bound of the present messages, infinite where it is not a number; none: no time for it.
  std::optional<double> evaluate() {
    double total = 0;
    TimeCheck time(deadline_);
    for (const Forest& forest : forests_.all) {
      up_ = belief_;
      for (const Branch& branch : forest.branches) {
        if (time.late(16 * (1 + sums_.steps(branch.factor)))) return std::nullopt;
        add_branch(branch);
      }
      for (VariableId root : forest.roots) {
        total +=
            log_sum_exp(std::span(up_).subspan(graph_.state_offset(root), graph_.states(root)));
      }
    }
    const double bound = total / static_cast<double>(forests_.all.size()) + graph_.constant();
    return std::isnan(bound) ? kInfinity : bound;
  }

  // Beliefs from the messages: their changes add up rounding.
  void refresh() {
    for (std::size_t s = 0; s < belief_.size(); ++s) {
      if (belief_[s] > kForbidden) belief_[s] = graph_.unaries()[s];
    }
    std::size_t slot = 0;
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      for (VariableId v : graph_.scope(c)) {
        for (State x = 0; x < graph_.states(v); ++x, ++slot) {
          double& belief = belief_[graph_.state_offset(v) + x];
          if (belief > kForbidden) belief += forests_.share[c] * messages_[slot];
        }
      }
    }
  }

  // What lies below a factor, added to the variable above it.
  void add_branch(const Branch& branch) {
    const FactorId c = branch.factor;
    fill_in(c, up_);
    sums_.messages(c, forests_.share[c], in_.data(), out_.data());
    std::size_t slot = 0;
    for (EdgeId e = graph_.first_edge(c); e < branch.up; ++e) {
      slot += graph_.states(graph_.variable_of(e));
    }
    const VariableId v = graph_.variable_of(branch.up);
    for (State x = 0; x < graph_.states(v); ++x, ++slot) {
      double& up = up_[graph_.state_offset(v) + x];
      if (up > kForbidden) up += out_[slot] - messages_[first_[c] + slot];
    }
  }

  const FactorGraph& graph_;
  const TreeReweightedOptions& options_;
  Deadline deadline_;
  Forests forests_;
  FactorSums sums_;
  std::vector<double> belief_, messages_, best_, up_, in_, out_;
  std::vector<std::size_t> first_;  // per factor: where its slots start
  double damping_ = options_.damping, change_ = 0, bound_ = kInfinity;
  std::string contradiction_;
};

}  // namespace

Fields fields(const TreeReweightedOptions& o) {
  return Fields()
      .add("iterations", o.iterations)
      .add("damping", o.damping)
      .add("tolerance", o.tolerance)
      .add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("time limit", o.time_limit)
      .add("seed", o.seed);
}

void TreeReweightedOptions::validate() const {
  if (!(damping >= 0 && damping < 1)) {
    throw Error(ErrorCode::usage, "damping", "must be at least 0 and below 1");
  }
  if (!(tolerance >= 0)) throw Error(ErrorCode::usage, "tolerance", "must be 0 or more");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result tree_reweighted(const FactorGraph& graph, const TreeReweightedOptions& options,
                       const Evidence& evidence) {
  return answer_marginals(
      "trw", graph, options, evidence,
      [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
        clock.begin("pruning");
        Budget budget("trw", options.max_bytes, deadline);
        budget.take(domain_bytes(given));
        const Domains domains = find_domains(given, true, deadline);
        if (!domains.contradiction.empty()) return infeasible(domains.contradiction);
        clock.begin("forests");
        const FactorGraph pruned = restricted(given, domains);
        Solver solver(pruned, options, budget);
        clock.begin("messages");
        return solver.run();
      });
}

}  // namespace fgnn
