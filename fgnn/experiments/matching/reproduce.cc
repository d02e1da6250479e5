#include "fgnn/experiments/matching/reproduce.h"

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/experiments/matching/commands.h"
#include "fgnn/experiments/matching/page.h"
#include "fgnn/io/input_file.h"

namespace fgnn::matching {
namespace {

// Names of networks to their files in the folder of weights, where they are there.
std::vector<std::string> found(const std::vector<std::string>& names,
                               const std::filesystem::path& weights) {
  std::vector<std::string> files;
  for (const auto& name : names) {
    if (name.empty()) continue;
    const auto file = weights / (name + ".safetensors");
    files.push_back(file_exists(file) ? file.string() : name);
  }
  return files;
}

ReportOptions options_of(const experiments::Request& request) {
  const auto& given = request.options;
  ReportOptions o;
  o.data = request.data;
  o.tables = request.tables;
  o.networks = found(given.list("--networks"), request.weights);
  o.open_networks = found(given.list("--open-networks"), request.weights);
  o.point_networks = found(given.list("--point-networks"), request.weights);
  o.solvers = given.list("--solvers");
  std::erase(o.solvers, "");
  o.pairs = given.whole("--pairs");
  o.solver_pairs = given.whole("--solver-pairs");
  o.seeds = given.whole("--seeds");
  o.threads = request.threads;
  o.log = request.log;
  o.control = request.control;
  if (request.quick) {
    o.pairs = std::min<std::size_t>(o.pairs, 50);
    o.solver_pairs = std::min<std::size_t>(o.solver_pairs, 5);
    o.seeds = 1;
    o.sets = 20;
  }
  if (o.pairs == 0 || o.solver_pairs == 0 || o.seeds == 0) {
    throw Error(ErrorCode::usage, "pairs and seeds", "must be above 0");
  }
  return o;
}

experiments::ReportRow report_row(const ReportRow& r) {
  experiments::ReportRow row{
      .table = r.table,
      .dataset = r.table == "voc" || r.table == "protocols" ? "voc" : r.table,
      .method = r.method,
      .ours = {},
      .paper = {},
      .unit = "%",
      .error = r.deviation,
      .more = {{"measure", r.measure}}};
  (r.of_paper ? row.paper : row.ours) = r.mean;
  if (r.x) row.more.emplace_back("x", r.x);
  if (r.pairs > 0) row.more.emplace_back("pairs", std::uint64_t{r.pairs});
  for (std::size_t c = 0; c < r.by_class.size(); ++c) {
    row.more.emplace_back("class" + std::to_string(c), std::optional<double>(r.by_class[c]));
  }
  return row;
}

experiments::Report run(const experiments::Request& request) {
  const ReportOptions options = options_of(request);
  const auto rows = measure_tables(options);
  experiments::Report report;
  for (const auto& row : rows) report.rows.push_back(report_row(row));
  for (const report::TableInfo& table : report_tables()) {
    report.tables.push_back({table.name + ": " + table.title, printed(table.name, rows, true)});
  }
  report.page = [=] { return report_page(options, rows); };
  return report;
}

constexpr const char* kHelp =
    R"(Prints the paper's table of accuracies on Pascal VOC keypoints beside ours: descriptions and
positions with the Hungarian method, MAP methods on the factor graph (unit costs, and with
descriptions), and trained networks; the means of other protocols; and, for networks of positions
alone, sweeps over noise, outliers and CMU's films. Networks are names of files in the folder of
weights, files, or folders of training. With --log a run that was stopped goes on: every method is
kept seed by seed, and what the file has of the same data, pairs, settings and weights is not measured
again.
--json prints rows of table, dataset, method, ours or paper (%), unit, stderr (the deviation over
seeds of evaluation), measure, x of sweeps, pairs of each class, and class0 … class19 (% by class in
alphabetical order).)";

}  // namespace

experiments::Reproduction reproduction() {
  using Kind = experiments::Option::Kind;
  return {.summary = "Keypoints of two pictures: section 5.3",
          .help = kHelp,
          .examples = {"fgnn reproduce matching --data voc --quick",
                       "fgnn reproduce matching --data voc --log voc.jsonl --html matching.html"},
          .quick = "50 pairs of each class, one seed: a minute",
          .tables = report_tables(),
          .options = {{"--networks", "NAMES", "Networks of pictures", Kind::list,
                       "matching,mpnn-matching"},
                      {"--open-networks", "NAMES",
                       "Networks that may leave points without a partner", Kind::list, ""},
                      {"--point-networks", "NAMES", "Networks of positions alone", Kind::list, ""},
                      {"--solvers", "METHODS", "MAP methods", Kind::list, "max-product,mplp,ad3"},
                      {"--pairs", "N", "Pairs of each class", Kind::whole, "1000"},
                      {"--solver-pairs", "N", "The same for MAP methods", Kind::whole, "50"},
                      {"--seeds", "N", "Seeds of evaluation", Kind::whole, "3"}},
          .data = keypoints_source(),
          .weights = true,
          .log = true,
          .run = run};
}

}  // namespace fgnn::matching
