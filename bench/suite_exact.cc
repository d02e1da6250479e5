// Exact answers on chains with budgets: a plan made once, then many instances.
#include "bench/budget_chain.h"
#include "bench/suite.h"
#include "fgnn/infer/exact.h"

namespace fgnn::bench {
namespace {

constexpr const char* kBaseline = "dynamic programme over the last 8 bits";

struct Instances {
  std::vector<synthetic::SyntheticInstance> chains;
  std::vector<FactorGraph> graphs;
};

Instances make_instances(std::size_t count, std::uint64_t seed) {
  Instances instances;
  synthetic::SyntheticOptions options;
  options.dataset = "D3";
  options.seed = seed;
  for (std::size_t i = 0; i < count; ++i) {
    instances.chains.push_back(synthetic::synthetic_instance(options, i));
    instances.graphs.push_back(instances.chains.back().graph());
  }
  return instances;
}

// A row of microseconds per instance.
template <class Library, class Baseline>
Row row_of(std::string name, std::size_t count, Library&& library, Baseline&& baseline) {
  const auto all = [count](auto& call) {
    return [&call, count] {
      for (std::size_t i = 0; i < count; ++i) call(i);
    };
  };
  constexpr int kRepeats = 5;
  const Seconds seconds = best_seconds(kRepeats, all(library), all(baseline));
  const double scale = 1e6 / static_cast<double>(count);
  return {std::move(name), scale * seconds.library, "µs", scale * seconds.baseline, kBaseline};
}

// Library and baseline must agree before either time means a thing.
void check_answers(const Instances& all, const ExactPlan& map_plan,
                   const ExactPlan& marginals_plan) {
  for (std::size_t i = 0; i < all.graphs.size(); ++i) {
    require_equal(map_plan.map(all.graphs[i]).score, plain_map(all.chains[i]).score, "MAP score");
    const Result marginals = marginals_plan.marginals(all.graphs[i]);
    const ChainMarginals plain = plain_marginals(all.chains[i]);
    require_equal(*marginals.log_partition, plain.log_partition, "ln Z");
    for (VariableId v = 0; v < plain.one.size(); ++v) {
      require_equal(marginals.marginals[v][1], plain.one[v], "marginal");
    }
  }
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
  check_answers(all, map_plan, marginals_plan);

  return {
      row_of(
          "MAP", count, [&](std::size_t i) { keep(map_plan.map(all.graphs[i]).score); },
          [&](std::size_t i) { keep(plain_map(all.chains[i]).score); }),
      row_of(
          "marginals", count,
          [&](std::size_t i) { keep(*marginals_plan.marginals(all.graphs[i]).log_partition); },
          [&](std::size_t i) { keep(plain_marginals(all.chains[i]).log_partition); }),
      {"plan",
       1e3 * best_seconds(
                 3,
                 [&] {
                   keep(ExactPlan(template_graph, ExactTask::marginals, exact).cost().operations);
                 }),
       "ms"}};
}

}  // namespace fgnn::bench
