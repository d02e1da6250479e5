// fgnn reproduce molecules: section 5.5 of the paper.
#include <fmt/format.h>

#include "fgnn/experiments/molecules/commands.h"
#include "fgnn/experiments/molecules/tables.h"
#include "fgnn/experiments/outcomes.h"

namespace fgnn::molecules {
namespace {

// One row per target, and one for the mean.
void add_rows(const Row& row, std::vector<experiments::ReportRow>& to) {
  const auto add = [&](std::string target, std::string unit, const std::optional<double>& value) {
    to.push_back({.table = row.table,
                  .dataset = "QM9",
                  .method = row.method,
                  .ours = row.paper ? std::nullopt : value,
                  .paper = row.paper ? value : std::nullopt,
                  .unit = std::move(unit),
                  .more = {{"target", std::move(target)},
                           {"parameters", std::optional(row.parameters)},
                           {"epochs", std::optional(row.epochs)},
                           {"hours", std::optional(row.hours)},
                           {"finished", std::uint64_t{row.finished}},
                           {"planned", std::uint64_t{row.planned}}}});
  };
  for (std::size_t t = 0; t < kTargets; ++t) {
    add(std::string(targets()[t].name), std::string(targets()[t].unit), row.error[t]);
  }
  add("mean", "deviations", row.standardised);
}

experiments::Report run(const experiments::Request& request) {
  ReportOptions options;
  options.folder = request.folder;
  options.tables = request.tables;
  options.quick = request.quick;
  options.threads = request.threads;
  options.control = request.control;
  options.train = !request.options.has("--show");
  if (request.options.has("--epochs")) options.epochs = request.options.number("--epochs");
  options.seeds = request.options.whole("--seeds");
  options.products = request.options.text("--products");
  options.data = request.options.text("--data");
  if (options.train) {
    options.data = experiments::find_data(request.quick ? subset_source() : qm9_source(),
                                          options.data, "reproduce molecules");
  }
  const auto outcomes = reproduce(options);
  const auto rows = rows_of(options, outcomes);
  experiments::Report report;
  for (const Row& row : rows) add_rows(row, report.rows);
  for (const auto& table : molecule_tables()) {
    report.tables.push_back({table.name + ": " + table.title, printed(table.name, rows),
                             notes(table.name, options, rows)});
  }
  report.page = [=] { return page(options, rows); };
  return report;
}

constexpr const char* kHelp =
    R"(Trains the networks of section 5.5 on 80 % of the molecules and prints mean absolute errors on 10 %,
beside the paper's: joint (all targets by one network: MPNN, one enlarged to as many parameters,
FGNN), positions (with coordinates, and our invariant form), separate (a network for each target),
sharing (CAT, BT, CABT, CABTA), ranks (16 to 512), pairs (the appendix's three settings) and size
(trained on up to eight heavy atoms, tested on nine).
Trainings and outcomes go to the folder --out as they come: the same command goes on where it was
stopped, and shows all that is there; --show only shows. The full set takes days: begin with --quick.
--json prints rows of table, dataset, method, ours, paper and unit for each target, the mean over
targets in units of their deviations, parameters, epochs, hours, trainings finished and planned.)";

}  // namespace

experiments::Reproduction reproduction() {
  using Kind = experiments::Option::Kind;
  return {.summary = "Properties of molecules: section 5.5",
          .help = kHelp,
          .examples = {"fgnn reproduce molecules --data qm9_subset.xyz.xz --out runs/quick --quick "
                       "--tables joint",
                       "fgnn reproduce molecules --data qm9.safetensors --out runs/qm9 --tables "
                       "positions --epochs 24 --products bf16",
                       "fgnn reproduce molecules --out runs/qm9 --show --html molecules.html"},
          .quick = "Three epochs, on the part of QM9 for quick runs: minutes",
          .tables = molecule_tables(),
          .options = {experiments::data_option(qm9_source()),
                      {"--show", "", "Train nothing, show what is there", Kind::flag},
                      {"--epochs", "N", "Of each training; 200, quick 3", Kind::positive},
                      {"--seeds", "N", "Trainings of each network, in joint and positions",
                       Kind::whole, "1"},
                      experiments::products_option()},
          .folder = "Folder of trainings and outcomes",
          .run = run};
}

}  // namespace fgnn::molecules
