// fgnn compare: several methods on the same graphs, in one table.
#include "fgnn/infer/compare.h"

#include <fmt/core.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/compare_folder.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/data_options.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/experiments/graph_family.h"
#include "fgnn/io/files.h"
#include "fgnn/report/comparison.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

constexpr const char* kMethodsForFiles = "max-product,mplp,ad3,exact";

struct Options {
  std::vector<std::string> files;
  std::string format, methods;
  DataOptions families;  // those of all families of graphs
  EvidenceOptions evidence;
  FolderOptions folders;
  SolverOptions solver;
  OutputOptions output;
};

struct Block {
  std::string dataset;
  std::vector<ComparisonRow> rows;
};

std::vector<MethodVariant> variants(const Options& options, const std::string& usual) {
  MethodOptions settings = options.solver.get();
  settings.control.stop = control().stop;  // the bar is that of the graphs
  return parse_variants(Query::map, options.methods.empty() ? usual : options.methods, settings);
}

// Calls add(i) for the instances 0 .. count of this rank, and joins them with those of the others.
template <class Add>
void add_shares(Comparison& comparison, const std::string& label, std::uint64_t count, Add add) {
  constexpr std::uint64_t kAtOnce =
      1000;  // instances of a rank that are kept until they are joined
  cluster::Group& group = cluster::world();
  Stage stage(control(), label, static_cast<double>(count));
  bool interrupted = false;
  for (std::uint64_t begin = 0; begin < count && !interrupted; begin += kAtOnce * group.size()) {
    const std::uint64_t together = std::min(kAtOnce * group.size(), count - begin);
    const cluster::Share mine = cluster::share(together, group);
    try {
      for (std::uint64_t i = mine.begin; i < mine.end; ++i) {
        add(begin + i);
        stage.advance(static_cast<double>(together) / static_cast<double>(mine.size()));
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      interrupted = true;
    }
    comparison.join(group);
    interrupted = group.any(interrupted);
  }
}

void compare_family(const Options& options, const experiments::GraphFamily& family,
                    const experiments::Arguments& given, std::vector<Block>& blocks) {
  using Graphs = std::function<FactorGraph(std::uint64_t)>;
  std::vector<std::pair<std::string, Graphs>> all;
  for (const std::string& dataset : given.list(family.datasets.name)) {
    all.emplace_back(dataset, family.graphs(dataset, given));  // wrong names come before work
  }
  for (const auto& [dataset, graph] : all) {
    Comparison comparison(variants(options, family.methods));
    const std::uint64_t first = given.whole("--first");
    add_shares(comparison, "compare " + dataset, given.whole("--count"),
               [&](std::uint64_t i) { comparison.add(graph(first + i)); });
    blocks.push_back({dataset, comparison.rows()});
    if (control().stop.stop_requested()) return;
  }
}

Block compare_files(const Options& options) {
  Comparison comparison(variants(options, kMethodsForFiles));
  add_shares(comparison, "compare", options.files.size(), [&](std::uint64_t i) {
    const Deadline clock(options.solver.limits.time_limit);
    const FactorGraph graph =
        read_graph(options.files[i], options.format, options.solver.limits.reading(clock));
    comparison.add(graph, options.evidence.read(graph));
  });
  const std::string name =
      options.files.size() == 1 ? options.files[0] : fmt::format("{} files", options.files.size());
  return {name, comparison.rows()};
}

std::vector<Block> compare(const Options& options) {
  experiments::Arguments given = options.families.get();
  given.seed = options.solver.seed;
  std::string names;
  std::vector<Block> blocks;
  std::size_t sources = options.files.empty() ? 0 : 1;
  for (const auto* family : experiments::graph_families()) {
    names += " or " + family->datasets.name;
    sources += given.has(family->datasets.name);
  }
  if (sources != 1) throw Error(ErrorCode::usage, "compare", "needs either files" + names);
  if (!options.files.empty()) return {compare_files(options)};
  for (const auto* family : experiments::graph_families())
    compare_family(options, *family, given, blocks);
  return blocks;
}

// Options that say what is meant by one file mean nothing for many.
bool by_family(const Options& options) {
  if (!options.folders.wanted(options.files)) return false;
  const auto refuse = [](const char* option, const char* why) {
    throw Error(ErrorCode::usage, option, why);
  };
  const EvidenceOptions& evidence = options.evidence;
  if (!evidence.file.empty() || !evidence.set.empty() || !evidence.weigh.empty()) {
    refuse("compare", "by family, evidence is read from MODEL.evid beside each model");
  }
  if (!options.format.empty()) refuse("--from", "by family, formats are told by the endings");
  if (options.files.empty()) refuse("compare", "by family, it needs files or folders");
  return true;
}

std::string text_of_one(const Block& block) {
  TextTable table({{"method"},
                   {"status"},
                   {"score", Align::right},
                   {"bound", Align::right},
                   {"gap", Align::right},
                   {"feasible"},
                   {"agreement", Align::right},
                   {"iterations", Align::right},
                   {"time", Align::right}});
  for (const ComparisonRow& row : block.rows) {
    std::string gap;
    if (row.score && row.bound) gap = fmt::format("{:.3g}", std::max(0.0, *row.bound - *row.score));
    if (row.answered == 0) {
      table.add({row.method, row.status, "", "", "", "", "", "", ""});
      continue;
    }
    table.add({row.method, row.status, optional_text(row.score, "{:.6g}"),
               optional_text(row.bound, "{:.6g}"), gap, row.feasible > 0 ? "yes" : "no",
               optional_text(row.agreement, "{:.1f} %"), fmt::format("{:.0f}", row.iterations),
               seconds_text(1e-6 * row.microseconds)});
  }
  return table.text();
}

std::string text_of_many(const Block& block) {
  const std::size_t instances = block.rows.empty() ? 0 : block.rows.front().instances;
  return fmt::format("{}, {} instances\n{}", block.dataset, instances,
                     comparison_table(block.rows).text());
}

std::string text(const std::vector<Block>& blocks) {
  std::string out;
  for (const Block& block : blocks) {
    const bool one = !block.rows.empty() && block.rows.front().instances == 1;
    if (!out.empty()) out += "\n";
    out += one ? text_of_one(block) : text_of_many(block);
  }
  return out;
}

std::string json(const std::vector<Block>& blocks) {
  Json rows = Json::array();
  for (const Block& block : blocks) {
    for (const ComparisonRow& row : block.rows) {
      Json object{{"dataset", block.dataset}, {"method", row.method}, {"instances", row.instances}};
      object["agreement"] = optional_json(row.agreement);
      object["agreement_error"] = optional_json(row.agreement_error);
      object["exact_instances"] = optional_json(row.exact_instances);
      object["feasible"] = row.feasible;
      object["score_gap"] = optional_json(row.score_gap);
      object["bound_gap"] = optional_json(row.bound_gap);
      object["score"] = optional_json(row.score);
      object["bound"] = optional_json(row.bound);
      object["settled"] = row.settled;
      if (!row.status.empty()) object["status"] = row.status;
      object["answered"] = row.answered;
      object["iterations"] = row.iterations;
      object["microseconds"] = row.microseconds;
      rows.push_back(std::move(object));
    }
  }
  return json_text({{"rows", std::move(rows)}});
}

constexpr const char* kPrints =
    R"(Prints a row per method. One graph: status, score, upper bound, their gap, whether the assignment
is allowed, agreement (percent of variables in the state of the exact MAP), iterations and time.
Several: percent of agreement, of instances solved to the optimum, of allowed assignments; the means
of optimum - score (over allowed ones only: a forbidden assignment has no score) and of bound -
optimum; percent converged or proved; mean iterations and time. The exact MAP is found by elimination
where that is feasible, on one plan for all instances of one structure.
A method may carry settings of its own: max-product:damping=0.5,iterations=50,rounding=argmax (fgnn
list settings). Settings given as options go to all methods that take them.
--json prints rows of dataset, method, instances, agreement, agreement_error, exact_instances,
feasible, score_gap, bound_gap, score, bound, settled, status (one graph), answered (instances that
the method could take), iterations and microseconds.

By family: a folder, a quoted pattern, or one of the options so called gives a row per family of models
and method. The family is how the name of the file begins (Grids_11.uai, grid-0-000003.fgt); evidence
is read from MODEL.uai.evid or MODEL.evid, known answers from .MAP, .MAR and .PR in these places. What
cannot be read or solved counts as not answered; --details tells why. Each method has --time-limit
seconds for each model (30 unless told otherwise). Rows are of models, answered, exact (proved), then
for map: best (models with the best score of all methods and files), gap and gap % (means of that
score - the method's), bound gap; for infer: referenced (models with a known answer, of a file or an
exact method), the mean errors of a probability and of log10 Z; mean time. --json prints query,
time_limit, rows and models.)";

void declare(CLI::App& command, Options& options) {
  command.add_option("FILE", options.files, "Factor graphs, or folders of them")->type_name("");
  command.add_option("--from", options.format, "Their format, when the endings do not tell")
      ->type_name("FORMAT");
  for (const auto* family : experiments::graph_families()) {
    options.families.declare(command, {family->datasets});
  }
  command.add_option("--methods", options.methods, "Which ones, separated by commas")
      ->type_name("METHODS");
  options.families.declare(command, experiments::instance_range());
  for (const auto* family : experiments::graph_families()) {
    options.families.declare(command, family->options);
  }
  options.evidence.declare(command);
  options.solver.declare_limits(command);
  command.get_option("--time-limit")
      ->description("Seconds for reading a file, and for each method on it");
  options.folders.declare(command);
  options.solver.declare_settings(command, {Query::map, Query::infer});
  command.remove_option(command.get_option("--k"));  // one assignment each is compared
  options.output.declare(command);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> examples{
      "fgnn compare model.uai --methods exact,ad3,mplp:clusters=20",
      "fgnn compare models --time-limit 10 --toulbar2 --log models.jsonl --html models.html",
      "fgnn compare 'models/Grids*.uai' --query infer --details"};
  for (const auto* family : experiments::graph_families()) {
    examples.insert(examples.end(), family->examples.begin(), family->examples.end());
  }
  CLI::App* command = add_command(
      app, "compare", "Several methods on the same graphs, in one table", kPrints, examples);
  declare(*command, *options);
  command->callback([options] {
    if (by_family(*options)) {
      return compare_folders(options->files, options->methods, options->folders, options->solver,
                             options->output);
    }
    const std::vector<Block> blocks = compare(*options);
    if (blocks[0].rows.empty() || blocks[0].rows[0].instances == 0) {
      end_if_interrupted("compare", "no graph was done until then");
    }
    options->output.deliver(options->output.json ? json(blocks) : text(blocks));
    end_if_interrupted("compare", "the table is of the graphs done until then");
  });
}

}  // namespace fgnn::cli
