// fgnn bench: the one door to every benchmark.
#include <fmt/core.h>

#include <memory>

#include "bench/suite.h"
#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/options.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct BenchOptions {
  std::string suite, data;
  bool quick = false;
  SolverOptions solver;
  OutputOptions output;
};

std::string json_of(const bench::Suite& suite, const std::vector<bench::Row>& rows) {
  Json array = Json::array();
  for (const bench::Row& row : rows) {
    Json object{{"name", row.name}, {"value", row.value}, {"unit", row.unit}};
    object["baseline"] = row.baseline ? Json(*row.baseline) : Json();
    object["ratio"] = row.ratio() ? Json(*row.ratio()) : Json();
    object["baseline_name"] = row.baseline_name;
    object["limit"] = row.limit ? Json(*row.limit) : Json();
    object["limit_name"] = row.limit_name;
    array.push_back(std::move(object));
  }
  return json_text({{"suite", suite.name}, {"rows", std::move(array)}});
}

std::string text_of(const std::vector<bench::Row>& rows) {
  TextTable table({{"what"},
                   {"value", Align::right},
                   {"unit"},
                   {"baseline", Align::right},
                   {"ratio", Align::right},
                   {"which baseline"},
                   {"limit", Align::right},
                   {"which limit"}});
  for (const bench::Row& row : rows) {
    table.add({row.name, fmt::format("{:.4g}", row.value), row.unit,
               row.baseline ? fmt::format("{:.4g}", *row.baseline) : "",
               row.ratio() ? fmt::format("{:.2f}x", *row.ratio()) : "", row.baseline_name,
               row.limit ? fmt::format("{:.4g}", *row.limit) : "", row.limit_name});
  }
  return table.text();
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = add_command(
      app, "bench", "Run a benchmark suite against its baseline",
      "Prints what was measured, the same for a plainly written baseline in the same run, and the\n"
      "ratio: how many times better than the baseline (above 1 is better, whatever the unit). "
      "Where\n"
      "it is known, also what the machine allows at best, such as moving the bytes once.\n"
      "--json prints suite and rows with name, value, unit, baseline, ratio, baseline_name, limit\n"
      "and limit_name.",
      {"fgnn bench exact --quick", "fgnn bench graph --json", "fgnn bench proofs --data models"});
  command->add_option("SUITE", options->suite, "Which one (fgnn list suites)")
      ->required()
      ->type_name("");
  command->add_flag("--quick", options->quick, "Smaller sizes, for a first look");
  command
      ->add_option("--data", options->data,
                   "Folder of models for proofs; without it uai in the folder that FGNN_DATA names")
      ->type_name("DIR");
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] {
    const bench::Suite& suite = bench::find_suite(options->suite);
    const std::vector<bench::Row> rows = suite.run(
        {options->quick, options->solver.threads, options->solver.seed, bar(), options->data});
    options->output.deliver(options->output.json ? json_of(suite, rows) : text_of(rows));
  });
}

}  // namespace fgnn::cli
