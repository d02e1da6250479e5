#include "fgnn/infer/join_graph.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/units.h"
#include "fgnn/infer/marginals_frame.h"
#include "fgnn/infer/minibucket/clusters.h"
#include "fgnn/infer/minibucket/pass.h"

namespace fgnn {
namespace {

using minibucket::Clusters;
using minibucket::Scheme;

Result propagated(Clusters& clusters, const Scheme& scheme, const JoinGraphOptions& options,
                  const Deadline& deadline) {
  Result result;
  result.status = Status::iteration_limit;
  Stage stage(options.control, "join graph", static_cast<double>(options.iterations));
  const bool tree = scheme.split == 0;
  while (result.iterations < options.iterations) {
    if (deadline.expired() || !clusters.propagate(tree ? 0 : options.damping, deadline)) {
      result.status = stopped_by(deadline);
      return result;
    }
    ++result.iterations;
    result.residuals.push_back(clusters.change());
    stage.now().residual = clusters.change();
    stage.advance();
    if (clusters.contradicted()) return infeasible({});
    if (tree || clusters.change() <= options.tolerance) {
      result.status = tree ? Status::exact : Status::converged;
      break;
    }
  }
  return result;
}

Result solve(const FactorGraph& given, const JoinGraphOptions& options, const Deadline& deadline,
             PhaseClock& clock) {
  clock.begin("clusters");
  Budget budget("join-graph", options.max_bytes, deadline);
  const auto model =
      minibucket::restate(given, ExactTask::marginals, options.ibound, false, budget);
  if (!model.domains.contradiction.empty()) return infeasible(model.domains.contradiction);
  const Scheme scheme =
      minibucket::make_scheme(model, options.ibound, options.orders, options.seed, budget);
  budget.take(minibucket::function_bytes(model, scheme) + Clusters::bytes(scheme));
  const auto functions = minibucket::functions(model, scheme, budget);
  Clusters clusters(scheme, functions, budget);
  clock.begin("messages");
  Result result = propagated(clusters, scheme, options, deadline);
  if (result.status == Status::infeasible) return result;
  clock.begin("beliefs");
  result.marginals = minibucket::marginals(given, model, scheme, clusters.marginals());
  double log_z = clusters.log_partition() + given.constant();
  for (const auto& f : functions) log_z += f.scope.empty() ? f.values[0] : 0;
  if (result.status == Status::exact && log_z == kForbidden) return infeasible({});
  if (result.iterations > 0 && !std::isnan(log_z)) result.log_partition = log_z;
  if (scheme.split > 0) {
    result.message = fmt::format("{} of {} variables are in several clusters that they join",
                                 scheme.split, scheme.order.size());
  }
  return result;
}

}  // namespace

Fields fields(const JoinGraphOptions& o) {
  return Fields()
      .add("ibound", o.ibound)
      .add("iterations", o.iterations)
      .add("damping", o.damping)
      .add("tolerance", o.tolerance)
      .add("orders", o.orders)
      .add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("time limit", o.time_limit)
      .add("seed", o.seed);
}

void JoinGraphOptions::validate() const {
  if (ibound == 0 || ibound > 40) throw Error(ErrorCode::usage, "ibound", "must be 1 to 40");
  if (!(damping >= 0 && damping < 1)) {
    throw Error(ErrorCode::usage, "damping", "must be at least 0 and below 1");
  }
  if (iterations == 0) throw Error(ErrorCode::usage, "iterations", "must be above zero");
  if (!(tolerance >= 0)) throw Error(ErrorCode::usage, "tolerance", "must be 0 or more");
  if (orders < 1) throw Error(ErrorCode::usage, "orders", "must be above zero");
  if (!(time_limit > 0)) throw Error(ErrorCode::usage, "time limit", "must be positive");
}

Result join_graph(const FactorGraph& graph, const JoinGraphOptions& options,
                  const Evidence& evidence) {
  return answer_marginals(
      "join-graph", graph, options, evidence,
      [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
        return solve(given, options, deadline, clock);
      });
}

}  // namespace fgnn
