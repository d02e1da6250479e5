#include "fgnn/experiments/synthetic/reproduce.h"

#include <memory>

#include "fgnn/experiments/synthetic/page.h"

namespace fgnn::synthetic {
namespace {

experiments::ReportRow report_row(const Row& row) {
  return {.table = row.table,
          .dataset = row.dataset,
          .method = row.method,
          .ours = row.ours,
          .paper = row.paper,
          .unit = row.unit,
          .error = row.error,
          .note = row.note,
          .more = {{"paper_stderr", row.paper_error},
                   {"instances", std::uint64_t{row.instances}},
                   {"exact", row.exact},
                   {"feasible", row.feasible},
                   {"score_gap", row.score_gap},
                   {"open", row.left_open},
                   {"proved", row.proved},
                   {"microseconds", row.microseconds},
                   {"paper_microseconds", row.paper_microseconds},
                   {"how", row.how}}};
}

experiments::Report run(const experiments::Request& request) {
  SyntheticReportOptions options;
  options.tables = request.tables;
  options.weights = request.weights;
  options.quick = request.quick;
  if (request.options.has("--count")) options.count = request.options.whole("--count");
  options.threads = request.threads;
  options.seed = request.seed;
  options.side = request.options.whole("--side");
  options.log = request.log;
  options.group = request.group;
  options.control = request.control;
  const std::vector<Row> rows = reproduce_synthetic(options);
  experiments::Report report;
  for (const Row& row : rows) report.rows.push_back(report_row(row));
  for (const report::TableInfo& table : synthetic_tables()) {
    report.tables.push_back(
        {table.name + ": " + table.title, printed(table.name, rows), notes(table.name, rows)});
  }
  report.page = [rows, options] { return synthetic_page(rows, options); };
  return report;
}

constexpr const char* kHelp =
    R"(Prints, for every table, dataset and method, the percentage of variables equal to the exact MAP with
its standard error, the paper's figure, and beyond the paper: the share of instances solved to the
optimum, of allowed answers, the mean gap to the optimum's score, how many percent of the score AD3's
bound leaves open, the share on which it proves the answer, and the time of an instance on one thread.
Tables: 1 (D1, D2, D3), 2 (other lengths), 3 (chains and trees), ablation (wrong scopes), timing, and
d5 (grids; every solver at the network's time). The test instances are those of the seed, which no
training sees. Networks are NAME.safetensors in the folder of weights (d1, d2, d3, chain, tree, d5,
mpnn-d1, d1-order4 and so on); where one is missing, the row says how to make it.
With --log a run that was stopped goes on after the last dataset it had finished: what the file has of
the same instances, settings and weights is not measured again, times included.
--json prints rows of table, dataset, method, ours, paper, unit, stderr, paper_stderr, instances,
exact, feasible, score_gap, open, proved, microseconds, paper_microseconds, how and note.)";

}  // namespace

experiments::Reproduction reproduction() {
  using Kind = experiments::Option::Kind;
  return {.summary = "MAP on chains and trees with budgets: section 5.1",
          .help = kHelp,
          .examples = {"fgnn reproduce synthetic --quick",
                       "fgnn reproduce synthetic --log tables.jsonl --html tables.html",
                       "fgnn reproduce synthetic --tables 1,3 --count 1000 --json"},
          .quick = "A hundred instances per dataset: seconds",
          .tables = synthetic_tables(),
          .options = {{"--count", "N", "Instances per dataset; default 10000 (d5: 100)",
                       Kind::positive},
                      {"--side", "N", "Rows and columns of D5's grids", Kind::positive, "12"}},
          .weights = true,
          .log = true,
          .several_ranks = true,
          .run = run};
}

}  // namespace fgnn::synthetic
