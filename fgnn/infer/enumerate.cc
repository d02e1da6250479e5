#include "fgnn/infer/enumerate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/core/error.h"
#include "fgnn/core/log_math.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/finish.h"

namespace fgnn {
namespace {

template <class Visit>
void visit_all(const FactorGraph& graph, const Deadline& deadline, Visit visit) {
  const std::uint64_t total = configurations(graph.states());
  if (total > kMaxEnumerated) {
    throw Error(ErrorCode::too_large, "enumeration",
                fmt::format("the graph has more than {} joint states", kMaxEnumerated),
                "use the exact method instead");
  }
  const Budget budget("enumeration", Budget::kNoLimit, deadline);
  TimeCheck clock(deadline);
  std::vector<State> x(graph.num_variables(), 0);
  do {
    if (clock.late(1 + graph.num_edges())) budget.check_time();
    visit(x, graph.score(x));
  } while (next_configuration(graph.states(), x));
}

}  // namespace

Result enumerate_marginals(const FactorGraph& graph, const Evidence& evidence,
                           const Deadline& deadline) {
  const Stopwatch watch;
  PhaseClock clock;
  clock.begin("joint states");
  const FactorGraph g = graph.given(evidence);
  Result result;
  double high = kForbidden;
  visit_all(g, deadline, [&](const auto&, double score) { high = std::max(high, score); });
  if (high == kForbidden) {
    result = infeasible({});
  } else {
    Marginals marginals(g);
    double total = 0;
    visit_all(g, deadline, [&](const std::vector<State>& x, double score) {
      const double weight = std::exp(score - high);
      total += weight;
      for (VariableId v = 0; v < x.size(); ++v) marginals[v][x[v]] += weight;
    });
    for (VariableId v = 0; v < g.num_variables(); ++v) {
      for (double& p : marginals[v]) p /= total;
    }
    result.marginals = std::move(marginals);
    result.log_partition = high + std::log(total);
  }
  result.method = "enumerate";
  result.phases = clock.take();
  result.seconds = watch.seconds();
  return finish_marginals(g, std::move(result));
}

Result enumerate_map(const FactorGraph& graph, const Evidence& evidence, std::size_t k,
                     const Deadline& deadline) {
  if (k == 0) throw Error(ErrorCode::usage, "k", "must be above zero");
  const Stopwatch watch;
  PhaseClock clock;
  clock.begin("joint states");
  const FactorGraph g = graph.given(evidence);
  const auto better = [](const Solution& a, const Solution& b) { return a.score > b.score; };
  std::vector<Solution> best;  // sorted, earlier joint states first among equals
  visit_all(g, deadline, [&](const std::vector<State>& x, double score) {
    if (score == kForbidden || (best.size() == k && score <= best.back().score)) return;
    const Solution candidate{x, score};
    best.insert(std::upper_bound(best.begin(), best.end(), candidate, better), candidate);
    if (best.size() > k) best.pop_back();
  });
  Result result;
  if (best.empty()) {
    result = infeasible({});
  } else {
    result.assignment = best.front().assignment;
    result.bound = best.front().score;
    if (k > 1) result.solutions = std::move(best);
  }
  result.method = "enumerate";
  result.phases = clock.take();
  result.seconds = watch.seconds();
  return finish_map(g, std::move(result));
}

}  // namespace fgnn
