// fgnn reproduce: the paper's experiments, measured here, beside the paper's figures.
#include <fmt/format.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/json.h"
#include "fgnn/cli/options.h"
#include "fgnn/cli/table.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/report/synthetic_page.h"
#include "fgnn/tasks/weights.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string experiment, weights, html;
  report::SyntheticReportOptions report;
  SolverOptions solver;
  OutputOptions output;
};

std::string text(const std::vector<report::Row>& rows) {
  std::string out;
  for (const report::TableInfo& info : report::synthetic_tables()) {
    const report::HtmlTable printed = report::printed(info.name, rows);
    if (printed.rows.empty()) continue;
    std::vector<TextTable::Column> columns;
    for (std::size_t j = 0; j < printed.titles.size(); ++j) {
      columns.push_back({printed.titles[j], j < printed.left ? Align::left : Align::right});
    }
    TextTable table(columns);
    for (const auto& row : printed.rows) table.add(row);
    out +=
        fmt::format("{}{}: {}\n{}", out.empty() ? "" : "\n", info.name, info.title, table.text());
    for (const std::string& note : report::notes(info.name, rows)) out += "  " + note + "\n";
  }
  return out;
}

std::string json(const std::vector<report::Row>& rows) {
  Json list = Json::array();
  for (const report::Row& row : rows) {
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
  if (options.experiment != "synthetic") {
    throw Error(ErrorCode::usage, fmt::format("'{}'", options.experiment),
                "there is no such experiment", "known is synthetic");
  }
  auto& report = options.report;
  report.weights =
      options.weights.empty() ? tasks::shipped_weights() : std::filesystem::path(options.weights);
  if (!options.weights.empty() && !std::filesystem::is_directory(options.weights)) {
    throw Error(ErrorCode::io, options.weights, "is not a folder",
                "--weights wants the folder of NAME.safetensors");
  }
  report.threads = options.solver.threads > 0 ? options.solver.threads : default_threads();
  report.seed = options.solver.seed;
  const std::vector<report::Row> rows = report::reproduce_synthetic(report);
  if (!options.html.empty()) {
    write_file(options.html,
               [&](std::ostream& out) { out << report::synthetic_page(rows, report); });
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

void add_reproduce(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "reproduce", "The paper's tables, measured here", kPrints,
      {"fgnn reproduce synthetic --quick", "fgnn reproduce synthetic --html tables.html",
       "fgnn reproduce synthetic --tables 1,3 --count 1000 --json"});
  command->add_option("EXPERIMENT", options->experiment, "synthetic")->required()->type_name("");
  auto& report = options->report;
  command->add_option("--tables", report.tables, "Which ones, with commas between; default all")
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
