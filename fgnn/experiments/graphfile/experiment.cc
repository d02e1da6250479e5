#include "fgnn/experiments/graphfile/experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/experiments/graphfile/task.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/experiments/settings.h"

namespace fgnn::graphfile {
namespace {

using experiments::Settings;

std::unique_ptr<tasks::Task> make(const Settings& s) {
  FileOptions options = experiments::options_of(task_settings(), s);
  if (options.data.empty()) {
    throw Error(ErrorCode::usage, "task file", "needs a file of graphs",
                "give --data graphs.jsonl (docs/graphfile.md)");
  }
  return std::make_unique<FileTask>(std::move(options));
}

// Layers that suit most graphs, with the outputs that the labels ask for.
experiments::Plan plan(const Settings& given, const experiments::Arguments&) {
  experiments::Plan p;
  p.task = experiments::make_task("file", given);
  const auto& task = dynamic_cast<const FileTask&>(*p.task);
  p.network = network::describe("FC(64) - 4*FGNN(64) - " + task.output_layers());
  const std::uint64_t train = task.size(tasks::Stream::train);
  const std::uint64_t validation = task.size(tasks::Stream::validation);
  p.training = fmt::format(R"({{"batch": {}, "validation": {}}})",
                           std::clamp<std::uint64_t>(train, 1, 64), validation);
  return p;
}

experiments::TaskInfo task() {
  return {
      .name = "file",
      .description = "graphs of your own from a file: classes or numbers, of variables or graphs",
      .settings = experiments::settings_of(task_settings()),
      .make = make,
      .plan = plan,
      .examples = {"fgnn train file --data graphs.jsonl --out runs/mine"}};
}

}  // namespace

experiments::Experiment experiment() {
  return {.name = "graphfile",
          .description = "networks on graphs of your own, from a file of JSON lines",
          .tasks = {task()}};
}

}  // namespace fgnn::graphfile
