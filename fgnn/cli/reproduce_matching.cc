// fgnn reproduce matching: section 5.3 of the paper.
#include <fmt/format.h>

#include <memory>

#include "fgnn/report/json.h"
#include "fgnn/cli/match.h"
#include "fgnn/cli/options.h"
#include "fgnn/cli/reproduce.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/matching/page.h"
#include "fgnn/io/atomic_file.h"

namespace fgnn::cli {
namespace {

using namespace matching;

struct Options {
  std::string data, html;
  bool quick = false;
  ReportOptions report;
  SolverOptions solver;
  OutputOptions output;
};

Json json_of(const std::vector<ReportRow>& rows) {
  Json list = Json::array();
  for (const auto& r : rows) {
    Json object{{"table", r.table},
                {"method", r.method},
                {"from", r.of_paper ? "paper" : "here"},
                {"measure", r.measure},
                {"mean", r.mean}};
    object["deviation"] = optional_json(r.deviation);
    if (r.x) object["x"] = *r.x;
    if (!r.by_class.empty()) object["classes"] = r.by_class;
    if (r.pairs > 0) object["pairs"] = r.pairs;
    list.push_back(std::move(object));
  }
  return {{"rows", std::move(list)}};
}

void run(Options& o) {
  auto& report = o.report;
  report.data = o.data;
  report.threads = o.solver.threads > 0 ? o.solver.threads : default_threads();
  if (o.quick) {
    report.pairs = 50;
    report.solver_pairs = 5;
    report.seeds = 1;
    report.sets = 20;
  }
  const auto rows = measure_tables(report);
  if (!o.html.empty()) {
    write_file(o.html, [&](std::ostream& out) { out << report_page(report, rows); });
  }
  o.output.deliver(o.output.json
                       ? json_text(json_of(rows))
                       : printed_tables(
                             report_tables(),
                             [&](const std::string& table) { return printed(table, rows, true); },
                             [](const std::string&) { return std::vector<std::string>(); }));
}

constexpr const char* kPrints =
    R"(Prints the paper's table of accuracies on Pascal VOC keypoints beside ours: descriptions and positions
with the Hungarian method, MAP methods on the factor graph (unit costs, and with descriptions), and
trained networks; the means of other protocols; and, for networks of positions alone, sweeps over
noise, outliers and CMU's films.
--json prints rows of table, method, from (paper or here), measure, mean (%), deviation over seeds of
evaluation, x of sweeps, classes (% by class) and pairs of each class.)";

}  // namespace

void add_reproduce_matching(CLI::App& reproduce) {
  auto options = std::make_shared<Options>();
  auto& report = options->report;
  report.networks = {"matching", "matching-mpnn"};
  report.point_networks = {"points", "points-mpnn"};
  CLI::App* command =
      add_command(reproduce, "matching", "Keypoints of two pictures: section 5.3", kPrints,
                  {"fgnn reproduce matching --data voc --quick",
                   "fgnn reproduce matching --data voc --html matching.html"});
  command->add_option("--data", options->data, "Folder of keypoints and features")
      ->required()
      ->type_name("DIR");
  const auto list = [&](const char* name, std::vector<std::string>& value, const char* what) {
    command->add_option(name, value, what)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAMES");
  };
  list("--tables", report.tables, "Which ones, with commas between; default all");
  list("--networks", report.networks, "Networks of pictures; matching,matching-mpnn");
  list("--point-networks", report.point_networks, "Networks of positions; points,points-mpnn");
  list("--solvers", report.solvers, "MAP methods; max-product,mplp,ad3");
  command->add_option("--pairs", report.pairs, "Pairs of each class")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--solver-pairs", report.solver_pairs, "The same for MAP methods")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seeds", report.seeds, "Seeds of evaluation")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--quick", options->quick, "50 pairs of each class, one seed: a minute");
  command->add_option("--html", options->html, "Also write a page with plots and pictures")
      ->type_name("FILE");
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
