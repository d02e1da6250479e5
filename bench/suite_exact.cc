// Exact answers on chains with budgets: a plan made once, then many instances.
#include "bench/budget_chain.h"
#include "bench/suite.h"
#include "fgnn/infer/exact.h"

namespace fgnn::bench {
namespace {

constexpr const char* kBaseline = "dynamic programme over the last 8 bits";

struct Instances {
  std::vector<BudgetChain> chains;
  std::vector<FactorGraph> graphs;
};

Instances make_instances(std::size_t count, std::uint64_t seed) {
  Instances instances;
  Rng rng(seed);
  for (std::size_t i = 0; i < count; ++i) {
    instances.chains.push_back(BudgetChain::random(rng));
    instances.graphs.push_back(instances.chains.back().graph());
  }
  return instances;
}

template <class Call>
double microseconds_each(std::size_t count, Call&& call) {
  constexpr int kRepeats = 3;
  const double seconds = best_seconds(kRepeats, [&] {
    for (std::size_t i = 0; i < count; ++i) call(i);
  });
  return 1e6 * seconds / static_cast<double>(count);
}

ExactOptions exact_options(const SuiteOptions& options) {
  ExactOptions exact;
  exact.threads = options.threads;
  exact.seed = options.seed;
  exact.prune = false;  // one plan for all instances
  return exact;
}

}  // namespace

std::vector<Row> run_exact(const SuiteOptions& options) {
  const std::size_t count = options.quick ? 20 : 500;
  const Instances all = make_instances(count, options.seed);
  const ExactOptions exact = exact_options(options);

  const FactorGraph& template_graph = all.graphs.front();
  const ExactPlan map_plan(template_graph, ExactTask::map, exact);
  const ExactPlan marginals_plan(template_graph, ExactTask::marginals, exact);
  for (std::size_t i = 0; i < count; ++i) {
    require_equal(map_plan.map(all.graphs[i]).score, plain_map(all.chains[i]).score, "MAP score");
    const Result marginals = marginals_plan.marginals(all.graphs[i]);
    const ChainMarginals plain = plain_marginals(all.chains[i]);
    require_equal(*marginals.log_partition, plain.log_partition, "ln Z");
    for (VariableId v = 0; v < BudgetChain::kLength; ++v) {
      require_equal(marginals.marginals[v][1], plain.one[v], "marginal");
    }
  }

  const double map =
      microseconds_each(count, [&](std::size_t i) { keep(map_plan.map(all.graphs[i]).score); });
  const double plain_map_time =
      microseconds_each(count, [&](std::size_t i) { keep(plain_map(all.chains[i]).score); });
  const double marginals = microseconds_each(
      count, [&](std::size_t i) { keep(*marginals_plan.marginals(all.graphs[i]).log_partition); });
  const double plain_marginals_time = microseconds_each(
      count, [&](std::size_t i) { keep(plain_marginals(all.chains[i]).log_partition); });
  const double planning = best_seconds(
      3, [&] { keep(ExactPlan(template_graph, ExactTask::marginals, exact).cost().operations); });

  return {{"MAP", map, "µs", plain_map_time, kBaseline},
          {"marginals", marginals, "µs", plain_marginals_time, kBaseline},
          {"plan", 1e6 * planning, "µs"}};
}

}  // namespace fgnn::bench
