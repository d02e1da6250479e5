#include "fgnn/infer/mplp.h"

#include <algorithm>
#include <memory>

#include "fgnn/core/control.h"
#include "fgnn/core/error.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/decode.h"
#include "fgnn/infer/domains.h"
#include "fgnn/infer/map_frame.h"
#include "fgnn/infer/mplp/cluster.h"
#include "fgnn/infer/mplp/dual.h"
#include "fgnn/infer/repair.h"

namespace fgnn {
namespace {

constexpr std::size_t kPassesPerJoin = 50;

class Solver {
 public:
  Solver(FactorGraph graph, const MplpOptions& options, const Deadline& deadline, PhaseClock& clock)
      : options_(options),
        deadline_(deadline),
        clock_(clock),
        graph_(std::make_unique<FactorGraph>(std::move(graph))),
        dual_(std::make_unique<lp::Dual>(*graph_, deadline)),
        bound_(dual_->bound()) {}

  Result run() {
    Result result;
    descend(options_.iterations, result);
    for (std::size_t joins = 0; joins < options_.clusters && running(result); ++joins) {
      round(result);
      if (meets(result.score, bound_) || !tighten()) break;
      descend(kPassesPerJoin, result);
    }
    if (deadline_.expired()) result.status = stopped_by(deadline_);
    if (!dual_->contradiction().empty()) return infeasible(dual_->contradiction());
    round(result);
    result.bound = bound_;
    return result;
  }

 private:
  bool running(const Result& result) const {
    return dual_->contradiction().empty() && result.status != Status::time_limit &&
           result.status != Status::interrupted;
  }

  // Passes forwards and backwards in turn, until the bound stands still.
  void descend(std::size_t passes, Result& result) {
    const double least =
        options_.tolerance * static_cast<double>(std::max<std::size_t>(1, graph_->num_variables()));
    result.status = Status::iteration_limit;
    clock_.begin("passes");
    Stage stage(options_.control, "mplp", static_cast<double>(passes));
    for (std::size_t pass = 0; pass < passes && dual_->contradiction().empty(); ++pass) {
      if (deadline_.expired()) {
        result.status = stopped_by(deadline_);
        return;
      }
      dual_->pass(pass % 2 == 1);
      ++result.iterations;
      const double before = bound_;
      bound_ = std::min(bound_, dual_->bound());
      result.residuals.push_back(before - bound_);
      stage.now().bound = bound_;
      stage.advance();
      // Two passes, because the two directions may take turns at being idle.
      if (pass > 0 && before - bound_ <= least &&
          result.residuals[result.residuals.size() - 2] <= least) {
        result.status = Status::converged;
        return;
      }
    }
  }

  bool tighten() {
    clock_.begin("clusters");
    const auto cluster =
        lp::best_cluster(*graph_, *dual_, options_.max_cluster, options_.tolerance, deadline_);
    if (!cluster || deadline_.expired()) return false;
    auto joined = std::make_unique<FactorGraph>(lp::join(*graph_, *cluster));
    auto dual = std::make_unique<lp::Dual>(*joined, deadline_);
    lp::carry_over(*graph_, *dual_, *cluster, *joined, *dual);
    dual_ = std::move(dual);
    graph_ = std::move(joined);
    bound_ = std::min(bound_, dual_->bound());
    return true;
  }

  // Rounds the present beliefs and keeps the better assignment.
  void round(Result& result) const {
    clock_.begin("rounding");
    Marginals beliefs(*graph_);
    for (VariableId v = 0; v < graph_->num_variables(); ++v) {
      std::copy_n(&dual_->beliefs()[graph_->state_offset(v)], graph_->states(v),
                  beliefs[v].begin());
    }
    std::vector<State> x = decode_each(*graph_, beliefs);
    double score = graph_->score(x);
    if (options_.repair && !meets(score, bound_)) {
      Repair repaired = repair(*graph_, x, options_.seed, deadline_);
      if (repaired.score > score) {
        x = std::move(repaired.assignment);
        score = repaired.score;
      }
    }
    if (result.assignment.empty() || score > result.score) {
      result.assignment = std::move(x);
      result.score = score;
    }
  }

  const MplpOptions& options_;
  Deadline deadline_;
  PhaseClock& clock_;
  std::unique_ptr<FactorGraph> graph_;
  std::unique_ptr<lp::Dual> dual_;
  double bound_;
};

Result solve(const FactorGraph& given, const MplpOptions& options, const Deadline& deadline,
             PhaseClock& clock) {
  clock.begin("pruning");
  const Domains domains = find_domains(given, true, deadline);
  if (!domains.contradiction.empty()) return infeasible(domains.contradiction);
  clock.begin("set-up");
  return Solver(restricted(given, domains), options, deadline, clock).run();
}

}  // namespace

Fields fields(const MplpOptions& o) {
  return Fields()
      .add("iterations", o.iterations)
      .add("tolerance", o.tolerance)
      .add("clusters", o.clusters)
      .add("largest cluster", o.max_cluster)
      .add("repair", o.repair)
      .add("seed", o.seed)
      .add("time limit", o.time_limit);
}

void MplpOptions::validate() const {
  if (!(tolerance >= 0)) throw Error(ErrorCode::usage, "tolerance", "must be 0 or more");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result mplp(const FactorGraph& graph, const MplpOptions& options, const Evidence& evidence) {
  return answer_map("mplp", graph, options, evidence, kProofGap,
                    [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
                      return solve(given, options, deadline, clock);
                    });
}

}  // namespace fgnn
