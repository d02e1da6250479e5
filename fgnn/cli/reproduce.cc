// fgnn reproduce: the paper's experiments, measured here, beside the paper's figures.
#include <fmt/format.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/data_options.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/experiment.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/learned/weights.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

using experiments::Reproduction;

struct Options {
  std::vector<std::string> tables;
  bool quick = false;
  std::string data, weights, out, log, html;
  DataOptions own;
  SolverOptions solver;
  OutputOptions output;
};

std::filesystem::path weights_folder(const std::string& given) {
  if (given.empty()) return learned::shipped_weights();
  std::error_code failure;
  if (!std::filesystem::is_directory(given, failure)) {
    throw Error(ErrorCode::io, given, "is not a folder",
                "--weights takes the folder of NAME.safetensors");
  }
  return given;
}

std::string table_text(const report::HtmlTable& printed) {
  std::vector<TextTable::Column> columns;
  for (std::size_t j = 0; j < printed.titles.size(); ++j) {
    columns.push_back({printed.titles[j], j < printed.left ? Align::left : Align::right});
  }
  TextTable table(columns);
  for (const auto& row : printed.rows) table.add(row);
  return table.text();
}

// All tables that have rows, each under its heading and above its notes.
std::string text(const experiments::Report& report) {
  std::string all = report.introduction;
  for (const experiments::Printed& table : report.tables) {
    if (table.table.rows.empty()) continue;
    if (!all.empty()) all += "\n";
    all += table.heading + "\n" + table_text(table.table);
    for (const std::string& note : table.notes) all += "  " + note + "\n";
  }
  return all;
}

Json json_of(const experiments::ReportRow& row) {
  Json object{{"table", row.table}, {"dataset", row.dataset}, {"method", row.method}};
  object["ours"] = optional_json(row.ours);
  object["paper"] = optional_json(row.paper);
  object["unit"] = row.unit;
  object["stderr"] = optional_json(row.error);
  for (const auto& [key, value] : row.more) {
    if (const auto* number = std::get_if<std::optional<double>>(&value)) {
      object[key] = optional_json(*number);
    } else if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
      object[key] = *whole;
    } else {
      object[key] = std::get<std::string>(value);
    }
  }
  if (!row.note.empty()) object["note"] = row.note;
  return object;
}

std::string json(const experiments::Report& report) {
  Json all = Json::object();
  for (const auto& [key, value] : report.further) all[key] = Json::parse(value);
  Json rows = Json::array();
  for (const experiments::ReportRow& row : report.rows) rows.push_back(json_of(row));
  all["rows"] = std::move(rows);
  return json_text(all);
}

void run(const std::string& name, const Reproduction& reproduction, const Options& options) {
  report::check_tables(options.tables, reproduction.tables);
  experiments::Request request;
  request.tables = options.tables;
  request.quick = options.quick;
  request.threads = options.solver.threads > 0 ? options.solver.threads : default_threads();
  request.seed = options.solver.seed;
  if (reproduction.data) {
    request.data = experiments::find_data(*reproduction.data, options.data, "reproduce " + name);
  }
  if (reproduction.weights) request.weights = weights_folder(options.weights);
  request.folder = options.out;
  request.log = options.log;
  if (reproduction.several_ranks) request.group = &cluster::world();
  request.options = options.own.get();
  request.control = control();
  const experiments::Report report = reproduction.run(request);
  if (!request.group->first()) return;
  if (!options.html.empty()) {
    write_file(options.html, [&](std::ostream& out) { out << report.page(); });
  }
  options.output.deliver(options.output.json ? json(report) : text(report));
}

void declare(CLI::App& command, const Reproduction& reproduction, Options& options) {
  command.add_option("--tables", options.tables, "Which ones, separated by commas; default all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TABLES");
  command.add_flag("--quick", options.quick, reproduction.quick);
  if (reproduction.data) {
    const experiments::Option option = experiments::data_option(*reproduction.data);
    command.add_option(option.name, options.data, option.help)->type_name(option.value);
  }
  if (reproduction.weights) {
    command.add_option("--weights", options.weights, "Folder of trained networks; default ours")
        ->type_name("DIR");
  }
  if (!reproduction.folder.empty()) {
    command.add_option("--out", options.out, reproduction.folder)->required()->type_name("DIR");
  }
  if (reproduction.log) {
    command
        .add_option("--log", options.log,
                    "Keep what was measured in this file, and use what it has")
        ->type_name("FILE");
  }
  options.own.declare(command, reproduction.options);
  command.add_option("--html", options.html, "Also write a page with plots")->type_name("FILE");
  options.solver.declare_threads(command);
  options.output.declare_json(command);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  std::vector<std::string> examples;
  for (const auto& experiment : experiments::list()) {
    const auto& own = experiment.reproduction.examples;
    if (!own.empty()) examples.push_back(own.front());
  }
  CLI::App* reproduce = add_command(
      app, "reproduce", "The paper's experiments, measured here",
      "Tables with the paper's figures beside ours, as text, JSON and a page of HTML.", examples);
  reproduce->require_subcommand(1);
  for (const auto& experiment : experiments::list()) {
    const Reproduction& reproduction = experiment.reproduction;
    if (!reproduction.run) continue;
    auto options = std::make_shared<Options>();
    CLI::App* command = add_command(*reproduce, experiment.name, reproduction.summary,
                                    reproduction.help, reproduction.examples);
    declare(*command, reproduction, *options);
    command->callback(
        [options, &experiment] { run(experiment.name, experiment.reproduction, *options); });
  }
}

}  // namespace fgnn::cli
