// fgnn reproduce motion: section 5.6 of the paper.
#include <fmt/format.h>

#include <algorithm>

#include "fgnn/experiments/motion/commands.h"
#include "fgnn/experiments/motion/tables.h"
#include "fgnn/experiments/outcomes.h"

namespace fgnn::motion {
namespace {

constexpr double kQuickEpochs = 2;
constexpr std::size_t kQuickStride = 5;

// One row per horizon.
void add_rows(const TableSpec& t, const Row& row, std::vector<experiments::ReportRow>& to) {
  for (std::size_t h = 0; h < row.errors.size(); ++h) {
    const bool published = row.from == Row::From::published;
    if (published && !row.errors[h]) continue;
    to.push_back({.table = t.name,
                  .dataset = row.action,
                  .method = row.method,
                  .ours = published ? std::nullopt : row.errors[h],
                  .paper = published ? row.errors[h] : std::nullopt,
                  .unit = unit_of(t.form),
                  .more = {{"milliseconds", static_cast<std::uint64_t>(
                                                kHorizons[t.first_horizon + h].milliseconds)},
                           {"deviation", h < row.deviations.size() ? row.deviations[h]
                                                                   : std::optional<double>()},
                           {"finished", std::uint64_t{row.finished}},
                           {"planned", std::uint64_t{row.planned}},
                           {"hours", std::optional(row.hours)}}});
  }
}

// Folders of data to train on. What the user names alone is used alone; tables that are asked for,
// and otherwise all, take theirs from the folder of all data.
void find_folders(const experiments::Request& request, ReportOptions& options) {
  options.h36m = request.options.text("--h36m");
  options.cmu = request.options.text("--data");
  if (!options.train) return;
  const auto of_h36m = [](const std::string& table) { return table.starts_with("h36m"); };
  const bool alone = !options.h36m.empty(), all = options.tables.empty();
  const bool asked = std::ranges::any_of(options.tables, of_h36m);
  if (!alone && (asked || (all && options.cmu.empty()))) {
    options.h36m = experiments::usual_data(h36m_source());
  }
  const bool cmu_asked = all || !std::ranges::all_of(options.tables, of_h36m);
  const bool needs_cmu = !alone && (cmu_asked || options.h36m.empty());
  if (needs_cmu || !options.cmu.empty()) {
    options.cmu = experiments::find_data(cmu_source(), options.cmu, "reproduce motion");
  }
}

experiments::Report run(const experiments::Request& request) {
  const auto& given = request.options;
  ReportOptions options;
  options.folder = request.folder;
  options.tables = request.tables;
  options.threads = request.threads;
  options.control = request.control;
  options.train = !given.has("--show");
  options.seeds = given.whole("--seeds");
  options.products = given.text("--products");
  options.networks = given.has("--networks") || !request.quick
                         ? given.list("--networks")
                         : std::vector<std::string>{"gcn-small", "fgnn-small"};
  options.epochs =
      given.has("--epochs") || !request.quick ? given.number("--epochs") : kQuickEpochs;
  if (request.quick) options.stride = kQuickStride;
  if (request.quick && options.tables.empty()) options.tables = {"cmu-3d", "cmu-3d-256"};
  find_folders(request, options);
  const auto outcomes = reproduce(options);
  const auto rows = rows_of(options, outcomes);
  experiments::Report report;
  for (const TableSpec& t : table_specs()) {
    for (const Row& row : rows) {
      if (row.table == t.name) add_rows(t, row, report.rows);
    }
    auto table = printed(t, rows);
    if (table.rows.empty()) continue;
    auto remarks = notes(t, options, rows);
    if (request.quick) {
      remarks.push_back(
          "--quick: small networks and a small part of the training, not to be compared with "
          "published figures");
    }
    report.tables.push_back({t.name + ": " + t.title, std::move(table), std::move(remarks)});
  }
  report.page = [=] { return page(options, rows); };
  return report;
}

constexpr const char* kHelp =
    R"(Trains the graph convolutional network of Mao et al. and the paper's, whose last two layers pass
messages through factors of joints and of adjacent joints, and prints errors at 80 to 1000 ms by the
field's protocol: 3D (mm) and angles, by action and in the mean, on 8 and on 256 windows, beside
published figures, repeating the last frame, and constant velocity. Of H3.6M, whose licence forbids
handing it on, tables are made when --h36m names its folder (S1 to S11 with ACTION_1.txt …), or FGNN_DATA
names one that holds motion/h36m; where --data is given, only if --tables asks for them.
Trainings and outcomes go to the folder --out as they come: the same command goes on where it was
stopped, and shows all that is there; --show only shows. A full training takes hours: see
docs/motion.md, and begin with --quick. --json prints rows of table, dataset (the action), method,
ours, paper, unit and milliseconds.)";

}  // namespace

experiments::Reproduction reproduction() {
  using Kind = experiments::Option::Kind;
  return {.summary = "Human motion: section 5.6",
          .help = kHelp,
          .examples = {"fgnn reproduce motion --data cmu --out runs/motion --quick",
                       "fgnn reproduce motion --data cmu --out runs/motion --tables cmu-3d --seeds "
                       "3 --html motion.html",
                       "fgnn reproduce motion --h36m h3.6m --out runs/h36m"},
          .quick = "Small networks, two epochs of every fifth window: minutes",
          .tables = motion_tables(),
          .options = {experiments::data_option(cmu_source()),
                      {"--h36m", "DIR",
                       "Folder of H3.6M's exponential maps; default " + h36m_source().place +
                           " in the folder that FGNN_DATA names, if it is there"},
                      {"--show", "", "Train nothing, show what is there", Kind::flag},
                      {"--networks", "NAMES", "gcn, fgnn, gcn-small, fgnn-small", Kind::list,
                       "gcn,fgnn"},
                      {"--epochs", "N", "Of each training; quick 2", Kind::positive, "50"},
                      {"--seeds", "N", "Trainings of each network", Kind::whole, "1"},
                      experiments::products_option()},
          .folder = "Folder of trainings and outcomes",
          .run = run};
}

}  // namespace fgnn::motion
