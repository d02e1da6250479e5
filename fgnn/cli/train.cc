// fgnn train: a network learns a task.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/data_options.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/experiments/measures.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/io/json_text.h"
#include "fgnn/io/read_text.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/description.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"
#include "fgnn/train/trainer.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string task, config, out, from, network, data;
  std::vector<std::string> set, task_set;
  DataOptions short_options;  // those that the tasks bring
  std::string threads, seed;  // short for --set
  bool resume = false, resume_or_begin = false;
  OutputOptions output;
};

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : json_line(value);
}

// What a file of --config says.
struct Config {
  experiments::Settings settings;
  std::optional<network::Description> network;
  Json train = Json::object();
};

Config read_config(const std::string& file) {
  Config config;
  const Json json = parse_json<Json>(read_text(file), file);
  if (!json.is_object()) throw Error(ErrorCode::format, file, "is not a JSON object");
  for (const auto& [key, value] : json.items()) {
    if (key == "task" && value.is_object()) {
      for (const auto& [k, v] : value.items()) config.settings[k] = text_of(v);
    } else if (key == "network" && value.is_string()) {
      config.network = network::describe(value.get<std::string>());
    } else if (key == "network" && value.is_object()) {
      config.network = network::Description::parse(value.dump(), file);
    } else if (key == "train" && value.is_object()) {
      config.train = value;
    } else {
      throw Error(ErrorCode::format, file, fmt::format("has an unknown entry \"{}\"", key),
                  "task, network and train are known, each an object");
    }
  }
  return config;
}

// The task's own options: settings by a shorter name, and what its plan takes. Throws Error(usage)
// for those of other tasks.
experiments::Arguments own_options(const Options& o, const experiments::TaskInfo& task,
                                   experiments::Settings& settings) {
  const experiments::Arguments given = o.short_options.get();
  for (const auto& [name, values] : given.given) {
    const auto has_name = [&](const experiments::Option& option) { return option.name == name; };
    const auto own = std::ranges::find_if(task.options, has_name);
    if (own != task.options.end()) {
      if (!own->setting.empty()) settings[own->setting] = given.text(name);
      continue;
    }
    std::string takers;
    for (const auto& other : experiments::task_list()) {
      if (std::ranges::none_of(other.options, has_name)) continue;
      takers += (takers.empty() ? "" : ", ") + other.name;
    }
    throw Error(ErrorCode::usage, name, fmt::format("is not an option of the task {}", task.name),
                "it is for " + takers);
  }
  return given;
}

struct Plan {
  std::unique_ptr<tasks::Task> task;
  network::Description network;
  train::TrainOptions train;
};

// The task's defaults first, then the file, then the command line.
Plan plan(const Options& o) {
  const experiments::TaskInfo& info = experiments::find_task(o.task);
  Config config = o.config.empty() ? Config() : read_config(o.config);
  const experiments::Arguments own = own_options(o, info, config.settings);
  if (!o.data.empty()) config.settings["data"] = o.data;
  for (const auto& [key, value] : experiments::parse_settings(o.task_set, "--task")) {
    config.settings[key] = value;
  }
  if (!o.network.empty()) config.network = network::describe(o.network);
  Plan p;
  if (info.plan) {
    experiments::Plan usual = info.plan(config.settings, own);
    p.task = std::move(usual.task);
    p.network = std::move(usual.network);
    if (!usual.training.empty()) p.train.read(usual.training, "training of " + info.name);
  } else {
    if (!config.network) p.network = network::describe("fgnn");
    p.task = info.make(experiments::complete(info, config.settings));
  }
  if (config.network) p.network = *config.network;
  p.train.read(json_line(config.train), o.config);
  const auto set = [&](const std::string& key, const std::string& value, const char* option) {
    const Json parsed = Json::parse(value, nullptr, /*allow_exceptions=*/false);
    const Json object{{key, parsed.is_discarded() ? Json(value) : parsed}};
    p.train.read(json_line(object), option);
  };
  if (!o.threads.empty()) set("threads", o.threads, "--threads");
  if (!o.seed.empty()) set("seed", o.seed, "--seed");
  for (const auto& [key, value] : experiments::parse_settings(o.set, "--set")) {
    set(key, value, "--set");
  }
  return p;
}

// A line per validation: step, losses, the task's measures, speed. The titles come with the first
// line, which knows the measures.
class Lines {
 public:
  explicit Lines(bool counts_correct) : counts_correct_(counts_correct) {}

  void print(std::uint64_t step, const std::map<std::string, double>& v) {
    const auto at = [&](const std::string& key, double scale, int digits) {
      const auto found = v.find(key);
      return found == v.end() ? std::string("-")
                              : fmt::format("{:.{}f}", scale * found->second, digits);
    };
    if (!titled_) print_titles(v);
    std::string line = fmt::format("{:>9} {:>11} {:>11}", step, at("train_loss", 1, 5),
                                   at("validation_loss", 1, 5));
    if (counts_correct_) {
      line += fmt::format(" {:>9} {:>8}", at("validation_accuracy", 100, 2),
                          at("validation_solved", 100, 2));
    }
    for (const std::string& name : named_) {
      line += fmt::format(" {:>{}}", at("validation_" + name, 1, 5), width(name));
    }
    print_result(fmt::format("{} {:>12}\n", line, at("instances_per_second", 1, 0)));
    flush_results();
  }

 private:
  static constexpr std::size_t kMostNamed = 4;  // the summary at the end has all

  static std::size_t width(const std::string& name) {
    return std::max<std::size_t>(9, display_width(name));
  }

  void print_titles(const std::map<std::string, double>& v) {
    titled_ = true;
    const std::string prefix = "validation_";
    for (const auto& [key, value] : v) {
      if (!key.starts_with(prefix) || named_.size() == kMostNamed) continue;
      const std::string name = key.substr(prefix.size());
      if (name != "loss" && name != "accuracy" && name != "solved") named_.push_back(name);
    }
    std::string line = fmt::format("{:>9} {:>11} {:>11}", "step", "train loss", "valid loss");
    if (counts_correct_) line += fmt::format(" {:>9} {:>8}", "accuracy", "solved");
    for (const std::string& name : named_) line += fmt::format(" {:>{}}", name, width(name));
    print_result(fmt::format("{} {:>12}\n", line, "instances/s"));
  }

  bool counts_correct_, titled_ = false;
  std::vector<std::string> named_;
};

train::RunFolder folder_of(const Options& o) {
  if ((o.resume || o.resume_or_begin) && o.out.empty()) {
    throw Error(ErrorCode::usage, "--resume", "needs the folder of the run", "name it with --out");
  }
  return {o.out, o.resume            ? train::Start::resume
                 : o.resume_or_begin ? train::Start::resume_or_begin
                                     : train::Start::begin};
}

void end(const Options& o, const train::TrainReport& report) {
  if (!report.interrupted) return;
  if (o.out.empty()) end_if_interrupted("train", "nothing was kept; see --out");
  end_if_interrupted(o.out, "--resume goes on");
}

void run(const Options& o) {
  const train::RunFolder folder = folder_of(o);
  Plan p = plan(o);
  const tasks::Task* task = p.task.get();
  cluster::Group& group = cluster::world();
  const bool talks = group.first();
  Lines lines(task->loss()->counts_correct());
  const auto watcher = [&](std::uint64_t step, const std::map<std::string, double>& v) {
    if (!o.output.json) lines.print(step, v);
  };
  p.train.control = control();
  const auto report =
      o.from.empty()
          ? train::train(*task, p.network, p.train, folder, group, watcher)
          : train::train(*task, learned::load_network(o.from), p.train, folder, group, watcher);
  if (!talks) return;
  if (o.output.json) {
    Json json{{"steps", report.steps},
              {"seconds", report.seconds},
              {"instances_per_second", report.instances_per_second},
              {"first_loss", report.first_loss},
              {"last_loss", report.last_loss},
              {"stopped_early", report.stopped_early},
              {"interrupted", report.interrupted}};
    if (report.validation.rows > 0) {
      json["validation_loss"] = report.validation.mean_loss();
      json["validation_accuracy"] = report.validation.accuracy();
      experiments::add_named(report.validation, json);
    }
    print_result(json_text(json));
    return end(o, report);
  }
  Summary summary;
  summary.add("trained", fmt::format("{} steps in {}, {:.0f} instances/s", report.steps,
                                     seconds_text(report.seconds), report.instances_per_second));
  if (report.stopped_early) summary.add("stopped", "validation did not improve any more");
  experiments::add_named(report.validation, summary);
  if (!o.out.empty()) summary.add("model", o.out + "/model.safetensors");
  print_result("\n" + summary.text());
  end(o, report);
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> examples;
  std::string tasks_text = "Tasks and their settings:\n";
  for (const auto& info : experiments::task_list()) {
    tasks_text += fmt::format("  {}: {}\n   ", info.name, info.description);
    for (const auto& s : info.settings) tasks_text += fmt::format(" {}={}", s.name, s.fallback);
    tasks_text += "\n";
    examples.insert(examples.end(), info.examples.begin(), info.examples.end());
  }
  tasks_text += "What the settings are: fgnn list task-settings.\n";
  tasks_text += "Options of training (--set) and their defaults:\n" + train::TrainOptions().json();
  CLI::App* command = add_command(
      app, "train", "Train a network on a task",
      "Prints a line per validation; the folder gets the best model, a checkpoint, metrics and a\n"
      "plot. A run that was stopped goes on with --resume, bit for bit. Several processes train\n"
      "together when they are started by mpirun or srun (docs/scale.md).\n" +
          tasks_text,
      examples);
  command->add_option("task", options->task, "What to learn")->required()->type_name("TASK");
  command->add_option("--config", options->config, "JSON with task, network and train")
      ->type_name("FILE");
  command->add_option("--network", options->network,
                      "A preset (fgnn list networks), layers such as '6*FGNN(32) - Out(2)', or a "
                      "description file; default: the task's, or fgnn");
  command
      ->add_option("--from", options->from,
                   "Start from this model's network and weights: one of fgnn neuralize, or of "
                   "another run")
      ->type_name("MODEL");
  command->add_option("--task", options->task_set, "Settings of the task, separated by commas")
      ->delimiter(',')
      ->type_name("KEY=VALUE");
  command->add_option("--set", options->set, "An option of training")->type_name("KEY=VALUE");
  command
      ->add_option("--data", options->data,
                   "Short for --task data=PATH; default: in the folder that FGNN_DATA names")
      ->type_name("PATH");
  for (const auto& info : experiments::task_list()) {
    options->short_options.declare(*command, info.options, info.name);
  }
  command->add_option("--threads", options->threads, "Short for --set threads=N")->type_name("N");
  command->add_option("--seed", options->seed, "Short for --set seed=N")->type_name("N");
  command->add_option("--out", options->out, "The run's folder")->type_name("DIR");
  CLI::Option* resume =
      command->add_flag("--resume", options->resume, "Go on with the run in the folder");
  command
      ->add_flag("--resume-or-begin", options->resume_or_begin,
                 "The same, or begin one where there is none: for scripts and queues")
      ->excludes(resume);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
