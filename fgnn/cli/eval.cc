// fgnn eval: how good a saved model is at its task.
#include <fmt/core.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/timing.h"
#include "fgnn/experiments/measures.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/fingerprint.h"
#include "fgnn/network/model.h"
#include "fgnn/neuralize/compile.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string model, task, data;
  std::vector<std::string> task_set;
  std::uint64_t count = 1000, batch = 128;
  SolverOptions solver;
  OutputOptions output;
};

constexpr const char* kPartly = "the figures are of the graphs measured until then";

void run(const Options& options) {
  const network::Model model = learned::load_network(options.model);
  std::string name = options.task;
  if (name.empty() && neuralize::is_compiled(model)) {
    throw Error(ErrorCode::usage, options.model, "was compiled from one graph, not for a task",
                "solve the graph with fgnn map or fgnn infer --method fgnn:MODEL; fgnn neuralize "
                "--family compiles for a task");
  }
  if (name.empty()) name = experiments::task_name_of(model);
  if (name.empty()) {
    throw Error(ErrorCode::usage, options.model, "does not say which task it was trained for",
                "name it with --for");
  }
  auto settings = experiments::parse_settings(options.task_set, "--task");
  if (!options.data.empty()) settings.try_emplace("data", options.data);
  const auto task = experiments::make_task_of(model, options.model, name, settings);
  const int threads = options.solver.threads > 0 ? options.solver.threads : default_threads();
  cluster::Group& group = cluster::world();
  group.check_same("weights", network::fingerprint(model));
  const Stopwatch watch;
  const auto m = tasks::evaluate(model, *task, tasks::Stream::test, options.count, options.batch,
                                 threads, group, control());
  const double seconds = watch.seconds();
  if (m.graphs == 0) end_if_interrupted(options.model, "nothing was measured");
  const bool classes = task->loss()->counts_correct();
  if (options.output.json) {
    Json json{
        {"task", name}, {"graphs", static_cast<std::uint64_t>(m.graphs)}, {"loss", m.mean_loss()}};
    if (classes) {
      json["accuracy"] = m.accuracy();
      json["standard_error"] = m.standard_error();
      json["solved"] = m.solved_share();
    } else if (m.named.empty()) {  // the task has no measures of its own
      json["mean_absolute_error"] = m.absolute / m.rows;
    }
    experiments::add_named(m, json);
    json["seconds"] = seconds;
    print_result(json_text(json));
    return end_if_interrupted(options.model, kPartly);
  }
  Summary summary;
  summary.add("task", name);
  for (const auto& [key, value] : task->settings()) summary.add("  " + key, value);
  summary.add("graphs", count_text(m.graphs));
  summary.add("loss", fmt::format("{:.5f}", m.mean_loss()));
  if (classes) {
    summary.add("accuracy", fmt::format("{:.2f} % (standard error {:.2f})", 100 * m.accuracy(),
                                        100 * m.standard_error()));
    summary.add("graphs solved", fmt::format("{:.2f} %", 100 * m.solved_share()));
  } else if (m.named.empty()) {
    summary.add("mean absolute error", fmt::format("{:.5g}", m.absolute / m.rows));
  }
  experiments::add_named(m, summary);
  std::string time = fmt::format("{} with data, {} threads", seconds_text(seconds), threads);
  if (group.size() > 1) time += fmt::format(" on each of {} ranks", group.size());
  summary.add("time", time);
  print_result(summary.text());
  end_if_interrupted(options.model, kPartly);
}

}  // namespace

void add_eval(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "eval", "Measure a saved model on its task",
      "Prints loss and accuracy on the task's test instances, which training never sees. The task\n"
      "and its settings are those the model was trained with, unless given.",
      {"fgnn eval runs/d3/model.safetensors --count 10000",
       "fgnn eval runs/d3/model.safetensors --task length=60"});
  command
      ->add_option("model", options->model,
                   "A file, the name of a network that comes with the program, or a run's folder")
      ->required()
      ->type_name("MODEL");
  command->add_option("--for", options->task, "Another task")->type_name("TASK");
  command->add_option("--task", options->task_set, "Settings of the task, separated by commas")
      ->delimiter(',')
      ->type_name("KEY=VALUE");
  command
      ->add_option("--data", options->data,
                   "Short for --task data=PATH; default: in the folder that FGNN_DATA names")
      ->type_name("PATH");
  command->add_option("--count", options->count, "Test instances")
      ->capture_default_str()
      ->check(positive());
  command->add_option("--batch", options->batch, "Graphs at a time")
      ->capture_default_str()
      ->check(positive());
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
