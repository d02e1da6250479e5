// fgnn model: what a network is made of; converting and comparing saved ones.
#include "fgnn/network/model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/learned/weights.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct DescribeOptions {
  std::string what, task;
  std::vector<std::string> task_set;
  bool weights = false;
  OutputOptions output;
};

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const auto n : shape) text += fmt::format("{}{}", text.empty() ? "" : " x ", n);
  return text;
}

// A file of weights, a network by its name, or the folder of a training; else a preset or a
// description.
bool is_saved(const std::string& what) {
  const std::filesystem::path path = what;
  if (path.extension() == ".safetensors") return true;
  const auto names = learned::shipped_networks();
  std::error_code failure;
  return std::ranges::find(names, what) != names.end() ||
         std::filesystem::is_regular_file(path / "model.safetensors", failure);
}

// Multiplications and additions for one test graph of the task; NaN where its graphs are others.
double arithmetic(const network::Model& model, const tasks::Task& task) {
  const auto &own = model.description.schema.relations, given = task.schema().relations;
  const auto name = [](const auto& relation) { return relation.name; };
  if (!std::ranges::equal(own, given, {}, name, name)) return NAN;
  return network::arithmetic(model.program, *task.instance(tasks::Stream::test, 0).batch.structure);
}

// The task that a model is described for. A saved one can be described without its data.
std::unique_ptr<tasks::Task> task_for(const network::Model& model, bool saved,
                                      const DescribeOptions& o, const std::string& name,
                                      const experiments::Settings& settings) {
  try {
    return experiments::make_task_of(model, o.what, name, settings);
  } catch (const Error& error) {
    const bool no_data = saved && error.code() == ErrorCode::usage;
    if (no_data && o.task.empty() && o.task_set.empty()) return nullptr;
    throw;
  }
}

void describe(const DescribeOptions& o) {
  network::Model model;
  std::string name = o.task.empty() ? experiments::task_list().front().name : o.task;
  const experiments::Settings settings = experiments::parse_settings(o.task_set, "--task");
  const bool saved = is_saved(o.what);
  if (saved) {
    model = learned::load_network(o.what);
    // The graphs it was trained on, unless others are asked for.
    const std::string trained_for = experiments::task_name_of(model);
    if (o.task.empty() && !trained_for.empty()) name = trained_for;
  }
  const auto task = task_for(model, saved, o, name, settings);
  if (!saved) {
    auto description = network::describe(o.what);
    if (description.schema.variable_features == 0) description.schema = task->schema();
    model = network::Model(std::move(description), 0);
  }
  const auto& p = model.program;
  const double operations = task != nullptr ? arithmetic(model, *task) : NAN;
  std::size_t remembered = 0;
  for (const auto& w : p.parameters) remembered += w.trained ? 0 : w.count();
  if (o.output.json) {
    Json json{{"network", model.description.network},
              {"description", Json::parse(model.description.json())},
              {"parameters", p.trained_numbers()},
              {"remembered", remembered},
              {"operations", p.operations.size()},
              {"arithmetic", operations}};
    json["metadata"] = model.metadata;
    print_result(json_text(json));
    return;
  }
  if (o.weights) {
    TextTable table({{"weight"}, {"shape"}, {"numbers", Align::right}});
    for (const auto& w : p.parameters) {
      table.add({w.name, shape_text(w.shape), count_text(static_cast<double>(w.count()))});
    }
    print_result(table.text(o.output.rows()) + "\n");
  }
  Summary summary;
  summary.add("network", model.description.network);
  for (const auto& [key, value] : model.description.defaults) summary.add("  " + key, value);
  summary.add("variable features", fmt::format("{}", model.description.schema.variable_features));
  for (const auto& r : model.description.schema.relations) {
    summary.add("factors '" + r.name + "'",
                fmt::format("{} features, {} kinds of edges with {} features", r.factor_features,
                            r.kinds, r.edge_features));
  }
  summary.add("parameters", count_text(static_cast<double>(p.trained_numbers())));
  summary.add("operations", fmt::format("{}", p.operations.size()));
  if (!std::isnan(operations)) {
    const auto of = task->settings();
    summary.add("arithmetic",
                fmt::format("{:.1f} million per instance of {}{}", operations / 1e6, name,
                            of.contains("dataset") ? " " + of.at("dataset") : ""));
  }
  for (const auto& [key, value] : model.metadata) summary.add("saved " + key, value);
  print_result(summary.text());
}

struct ExportOptions {
  std::string from, to;
  bool half = false;
};

struct DiffOptions {
  std::string first, second;
  OutputOptions output;
};

void diff(const DiffOptions& o) {
  const auto a = learned::load_network(o.first), b = learned::load_network(o.second);
  if (a.description.json() != b.description.json()) {
    print_result(fmt::format("the networks differ:\n  {}\n  {}\n", a.description.json(),
                             b.description.json()));
    throw Error(ErrorCode::model, o.second, "is another network than " + o.first);
  }
  TextTable table({{"weight"},
                   {"numbers", Align::right},
                   {"largest difference", Align::right},
                   {"relative", Align::right}});
  double largest = 0;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    double most = 0, norm = 0, change = 0;
    for (std::size_t k = 0; k < a.weights[i].size(); ++k) {
      const double d = a.weights[i][k] - b.weights[i][k];
      most = std::max(most, std::abs(d));
      change += d * d;
      norm += a.weights[i][k] * a.weights[i][k];
    }
    largest = std::max(largest, most);
    if (most == 0) continue;
    ++changed;
    table.add({a.program.parameters[i].name, fmt::format("{}", a.weights[i].size()),
               fmt::format("{:.3g}", most),
               norm > 0 ? fmt::format("{:.3g}", std::sqrt(change / norm)) : "-"});
  }
  if (o.output.json) {
    print_result(json_text({{"equal", changed == 0},
                            {"changed", changed},
                            {"weights", a.weights.size()},
                            {"largest", largest}}));
  } else if (changed == 0) {
    print_result(fmt::format("equal: {} weights\n", a.weights.size()));
  } else {
    print_result(fmt::format("{}\n{} of {} weights differ\n", table.text(o.output.rows()), changed,
                             a.weights.size()));
  }
}

void add_describe(CLI::App& model) {
  auto o = std::make_shared<DescribeOptions>();
  CLI::App* command =
      add_command(model, "describe", "Layers, parameters and arithmetic of a network",
                  "Takes a preset, a description file or a saved model, also one that comes with "
                  "the program by\n"
                  "its name. Parameters are the numbers that are\n"
                  "trained; arithmetic counts multiplications and additions of one forward pass.",
                  {"fgnn model describe paper --task dataset=D2",
                   "fgnn model describe model.safetensors --weights"});
  command->add_option("network", o->what, "Preset, description or model")->required();
  command->add_option("--for", o->task, "The task whose graphs it reads")
      ->default_str(experiments::task_list().front().name);
  command->add_option("--task", o->task_set, "Settings of the task, separated by commas")
      ->delimiter(',')
      ->type_name("KEY=VALUE");
  command->add_flag("--weights", o->weights, "List every weight");
  o->output.declare_json(*command);
  command->callback([o] { describe(*o); });
}

void add_export(CLI::App& model) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* command =
      add_command(model, "export", "The model of a checkpoint, or a model in half precision",
                  "Writes the weights and the architecture alone, without the state of training.",
                  {"fgnn model export runs/d3/checkpoint.safetensors small.safetensors --half"});
  command->add_option("from", o->from, "A model or checkpoint")->required()->type_name("MODEL");
  command->add_option("to", o->to, "The file to write")->required()->type_name("FILE");
  command->add_flag("--half", o->half, "Store 16-bit numbers");
  command->callback([o] {
    auto m = learned::load_network(o->from);
    std::erase_if(m.metadata, [](const auto& entry) { return entry.first.starts_with("train."); });
    network::save_model(o->to, m, o->half ? DType::f16 : DType::f32);
  });
}

void add_diff(CLI::App& model) {
  auto o = std::make_shared<DiffOptions>();
  CLI::App* command =
      add_command(model, "diff", "Compare the weights of two models",
                  "Lists the weights that differ, and by how much.",
                  {"fgnn model diff a.safetensors b.safetensors", "fgnn model diff d3 runs/d3"});
  command->add_option("first", o->first, "A model")->required()->type_name("MODEL");
  command->add_option("second", o->second, "Another")->required()->type_name("MODEL");
  o->output.declare_json(*command);
  command->callback([o] { diff(*o); });
}

}  // namespace

void add_model(CLI::App& app) {
  CLI::App* model = add_command(app, "model", "Describe, convert and compare networks",
                                "Networks are presets (fgnn list networks), descriptions in JSON, "
                                "or saved models.",
                                {"fgnn model describe fgnn"});
  model->require_subcommand(1);
  add_describe(*model);
  add_export(*model);
  add_diff(*model);
}

}  // namespace fgnn::cli
