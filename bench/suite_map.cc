// MAP solvers on the paper's chains with budgets: time per instance.
#include "bench/budget_chain.h"
#include "bench/plain_bp.h"
#include "bench/suite.h"
#include "fgnn/infer/ad3.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/mplp.h"

namespace fgnn::bench {
namespace {

constexpr const char* kProgramme = "dynamic programme over the last 8 bits: the optimum";
constexpr std::size_t kIterations = 50;

struct Instances {
  std::vector<synthetic::SyntheticInstance> chains;
  std::vector<FactorGraph> graphs;
};

Instances make(const std::string& dataset, std::size_t count, std::uint64_t seed) {
  Instances all;
  synthetic::SyntheticOptions options;
  options.dataset = dataset;
  options.seed = seed;
  for (std::size_t i = 0; i < count; ++i) {
    all.chains.push_back(synthetic::synthetic_instance(options, i));
    all.graphs.push_back(all.chains.back().graph());
  }
  return all;
}

// Max-product with the budgets written out as tables of 512 entries.
void plain_max_product(const FactorGraph& graph) {
  PlainBp<PlainMax> plain(graph);
  for (std::size_t i = 0; i < kIterations; ++i) plain.flood();
  keep(plain.beliefs()[0]);
}

class Rows {
 public:
  Rows(const SuiteOptions& options, const std::string& dataset)
      : dataset_(dataset), repeats_(options.quick ? 1 : 3) {
    all_ = make(dataset, options.quick ? 3 : 100, options.seed);
  }

  template <class Library, class Baseline>
  Row row(const std::string& method, const char* name, Library&& library, Baseline&& baseline) {
    const auto loop = [&](auto& call) {
      return [&] {
        for (std::size_t i = 0; i < all_.graphs.size(); ++i) call(i);
      };
    };
    const Seconds seconds = best_seconds(repeats_, loop(library), loop(baseline));
    const double scale = 1e6 / static_cast<double>(all_.graphs.size());
    return {dataset_ + ", " + method, scale * seconds.library, "µs", scale * seconds.baseline,
            name};
  }

  void add(std::vector<Row>& rows) {
    const auto& graphs = all_.graphs;
    const ExactPlan plan(graphs.front(), ExactTask::map, {.threads = 1, .prune = false});
    const auto programme = [&](std::size_t i) { keep(plain_map(all_.chains[i]).score); };
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      require_equal(plan.map(graphs[i]).score, plain_map(all_.chains[i]).score, "MAP score");
    }
    rows.push_back(row(
        "exact", kProgramme, [&](std::size_t i) { keep(plan.map(graphs[i]).score); }, programme));
    rows.push_back(row(
        "ad3, at most 1000 iterations", kProgramme,
        [&](std::size_t i) { keep(ad3(graphs[i]).score); }, programme));
    rows.push_back(row(
        "mplp, at most 1000 passes", kProgramme,
        [&](std::size_t i) { keep(mplp(graphs[i]).score); }, programme));
    rows.push_back(row(
        "max-product, 50 iterations", "flat arrays, budgets as tables",
        [&](std::size_t i) {
          BpOptions options;
          options.schedule = Schedule::flooding;
          options.damping = 0;
          options.iterations = kIterations;
          options.decimate = false;
          options.tolerance = 0;
          options.threads = 1;
          keep(max_product(graphs[i], options).score);
        },
        [&](std::size_t i) { plain_max_product(graphs[i]); }));
  }

 private:
  std::string dataset_;
  int repeats_;
  Instances all_;
};

}  // namespace

std::vector<Row> run_map(const SuiteOptions& options) {
  std::vector<Row> rows;
  for (const char* dataset : {"D1", "D2", "D3"}) Rows(options, dataset).add(rows);
  return rows;
}

}  // namespace fgnn::bench
