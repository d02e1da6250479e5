// fgnn reproduce molecules: section 5.5 of the paper.
#include <fmt/format.h>

#include <memory>

#include "fgnn/cli/options.h"
#include "fgnn/cli/reproduce.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/molecules/tables.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/report/json.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string html;
  bool show = false;
  molecules::ReportOptions report;
  SolverOptions solver;
  OutputOptions output;
};

Json json_of(const std::vector<molecules::Row>& rows) {
  Json list = Json::array();
  for (const auto& row : rows) {
    Json object{{"table", row.table}, {"method", row.method}, {"paper", row.paper}};
    for (std::size_t t = 0; t < molecules::kTargets; ++t) {
      object[std::string(molecules::targets()[t].name)] = optional_json(row.error[t]);
    }
    object["standardised"] = optional_json(row.standardised);
    object["parameters"] = row.parameters;
    object["epochs"] = row.epochs;
    object["hours"] = row.hours;
    object["finished"] = row.finished;
    object["planned"] = row.planned;
    list.push_back(std::move(object));
  }
  return Json{{"rows", std::move(list)}};
}

void run(Options& options) {
  auto& report = options.report;
  report.threads = options.solver.threads > 0 ? options.solver.threads : default_threads();
  report.train = !options.show;
  const auto outcomes = molecules::reproduce(report);
  const auto rows = molecules::rows_of(report, outcomes);
  if (!options.html.empty()) {
    write_file(options.html, [&](std::ostream& out) { out << molecules::page(report, rows); });
  }
  options.output.deliver(
      options.output.json
          ? json_text(json_of(rows))
          : printed_tables(
                molecules::molecule_tables(),
                [&](const std::string& table) { return molecules::printed(table, rows); },
                [&](const std::string& table) { return molecules::notes(table, report, rows); }));
}

constexpr const char* kPrints =
    R"(Trains the networks of section 5.5 on 80 % of the molecules and prints mean absolute errors on 10 %,
beside the paper's: joint (all targets by one network: MPNN, one enlarged to as many parameters,
FGNN), positions (with coordinates, and our invariant form), separate (a network for each target),
sharing (CAT, BT, CABT, CABTA), ranks (16 to 512), pairs (the appendix's three settings) and size
(trained on up to eight heavy atoms, tested on nine).
Trainings and outcomes go to the folder --out as they come: the same command goes on where it was
stopped, and shows all that is there; --show only shows. The full set takes days: begin with --quick
on the 16,845 molecules of the subset.)";

}  // namespace

void add_reproduce_molecules(CLI::App& reproduce) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      reproduce, "molecules", "Properties of molecules: section 5.5", kPrints,
      {"fgnn reproduce molecules --data qm9_subset.xyz.xz --out runs/quick --quick --tables joint",
       "fgnn reproduce molecules --data qm9.safetensors --out runs/qm9 --tables positions",
       "fgnn reproduce molecules --out runs/qm9 --show --html molecules.html"});
  auto& report = options->report;
  command->add_option("--data", report.data, "The molecules, with targets")->type_name("FILE");
  command->add_option("--out", report.folder, "Folder of trainings and outcomes")
      ->required()
      ->type_name("DIR");
  command->add_option("--tables", report.tables, "Which ones, with commas between; default all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TABLES");
  command->add_flag("--quick", report.quick, "Three epochs");
  command->add_flag("--show", options->show, "Train nothing, show what is there");
  command->add_option("--epochs", report.epochs, "Of each training; 200")
      ->check(positive())
      ->type_name("N");
  command->add_option("--seeds", report.seeds, "Trainings of each network; joint and positions")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--html", options->html, "Also write a page with plots")->type_name("FILE");
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
