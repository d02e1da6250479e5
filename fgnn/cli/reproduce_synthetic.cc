// fgnn reproduce synthetic: section 5.1 of the paper.
#include <fmt/format.h>

#include <memory>

#include "fgnn/cli/options.h"
#include "fgnn/cli/reproduce.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/synthetic/page.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/report/json.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string weights, html;
  synthetic::SyntheticReportOptions report;
  SolverOptions solver;
  OutputOptions output;
};

std::string text(const std::vector<synthetic::Row>& rows) {
  return printed_tables(
      synthetic::synthetic_tables(),
      [&](const std::string& table) { return synthetic::printed(table, rows); },
      [&](const std::string& table) { return synthetic::notes(table, rows); });
}

std::string json(const std::vector<synthetic::Row>& rows) {
  Json list = Json::array();
  for (const synthetic::Row& row : rows) {
    Json object{{"table", row.table}, {"dataset", row.dataset}, {"method", row.method}};
    object["ours"] = optional_json(row.ours);
    object["paper"] = optional_json(row.paper);
    object["unit"] = row.unit;
    object["stderr"] = optional_json(row.error);
    object["paper_stderr"] = optional_json(row.paper_error);
    object["instances"] = row.instances;
    object["exact"] = optional_json(row.exact);
    object["feasible"] = optional_json(row.feasible);
    object["score_gap"] = optional_json(row.score_gap);
    object["open"] = optional_json(row.certified);
    object["proved"] = optional_json(row.proved);
    object["microseconds"] = optional_json(row.microseconds);
    object["paper_microseconds"] = optional_json(row.paper_microseconds);
    object["how"] = row.how;
    if (!row.note.empty()) object["note"] = row.note;
    list.push_back(std::move(object));
  }
  return json_text({{"rows", std::move(list)}});
}

void run(Options& options) {
  auto& report = options.report;
  report.weights = weights_folder(options.weights);
  report.threads = options.solver.threads > 0 ? options.solver.threads : default_threads();
  report.seed = options.solver.seed;
  report.group = &cluster::world();
  const std::vector<synthetic::Row> rows = synthetic::reproduce_synthetic(report);
  if (!report.group->first()) return;
  if (!options.html.empty()) {
    write_file(options.html,
               [&](std::ostream& out) { out << synthetic::synthetic_page(rows, report); });
  }
  options.output.deliver(options.output.json ? json(rows) : text(rows));
}

constexpr const char* kPrints =
    R"(Prints, for every table, dataset and method, the percentage of variables equal to the exact MAP with
its standard error, the paper's figure, and beyond the paper: the share of instances solved to the
optimum, of allowed answers, the mean gap to the optimum's score, how many percent of the score AD3's
bound leaves open, the share on which it proves the answer, and the time of an instance on one thread.
Tables: 1 (D1, D2, D3), 2 (other lengths), 3 (chains and trees), ablation (wrong scopes), timing, and
d5 (grids; every solver at the network's time). The test instances are those of the seed, which no
training sees. Networks are NAME.safetensors in the folder of weights (d1, d2, d3, chain, tree, d5,
mpnn-d1, d1-order4 and so on); where one is missing, the row says how to make it.
--json prints rows of table, dataset, method, ours, paper, unit, stderr, paper_stderr, instances,
exact, feasible, score_gap, open, proved, microseconds, paper_microseconds, how and note.)";

}  // namespace

void add_reproduce_synthetic(CLI::App& reproduce) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      reproduce, "synthetic", "MAP on chains and trees with budgets: section 5.1", kPrints,
      {"fgnn reproduce synthetic --quick", "fgnn reproduce synthetic --html tables.html",
       "fgnn reproduce synthetic --tables 1,3 --count 1000 --json"});
  auto& report = options->report;
  command->add_option("--tables", report.tables, "Which ones, separated by commas; default all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TABLES");
  command->add_flag("--quick", report.quick, "A hundred instances per dataset: seconds");
  command->add_option("--count", report.count, "Instances per dataset; default 10000 (d5: 100)")
      ->check(positive())
      ->type_name("N");
  command->add_option("--side", report.side, "Rows and columns of D5's grids")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--weights", options->weights, "Folder of trained networks; default ours")
      ->type_name("DIR");
  command->add_option("--html", options->html, "Also write a page with plots")->type_name("FILE");
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
