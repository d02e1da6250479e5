// fgnn neuralize: belief propagation compiled into a network.
#include <fmt/core.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/io/files.h"
#include "fgnn/neuralize/family.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct NeuralizeOptions {
  std::string file, format, family, out, algorithm = "sum-product";
  std::vector<std::string> task_set;
  neuralize::FamilyOptions family_options;
  LimitOptions limits;
  OutputOptions output;
};

network::Model compiled(NeuralizeOptions& o) {
  auto& options = o.family_options;
  options.compile.algorithm = neuralize::algorithm(o.algorithm);
  if (o.family.empty() == o.file.empty()) {
    throw Error(ErrorCode::usage, "fgnn neuralize", "needs a graph or a family",
                "name a FILE, or a task with --family");
  }
  if (!o.file.empty()) {
    if (options.temperature != 1) {
      throw Error(ErrorCode::usage, "--temperature", "is for families");
    }
    if (options.floor != 0) throw Error(ErrorCode::usage, "--floor", "is for families");
    if (!o.task_set.empty()) throw Error(ErrorCode::usage, "--task", "is for families");
    const Deadline clock = o.limits.clock();
    return neuralize::compile(read_graph(o.file, o.format, o.limits.reading(clock)),
                              options.compile);
  }
  const experiments::TaskInfo& info = experiments::find_task(o.family);
  const auto complete =
      experiments::complete(info, experiments::parse_settings(o.task_set, "--task"));
  const auto task = info.make(complete);
  if (info.check_family) info.check_family(complete);
  const auto settings = task->settings();
  network::Model model = neuralize::compile_family(task->schema(), options);
  model.metadata["task"] = task->name();
  for (const auto& [key, value] : settings) model.metadata[key] = value;
  return model;
}

void run(NeuralizeOptions& o) {
  const network::Model model = compiled(o);
  network::save_model(o.out, model, DType::f64);
  std::size_t all = 0, used = 0;
  for (const auto& w : model.weights) {
    all += w.size();
    for (const double x : w) used += x != 0;
  }
  if (o.output.json) {
    print_result(json_text({{"model", o.out},
                            {"network", model.description.network},
                            {"operations", model.program.operations.size()},
                            {"weights", all},
                            {"weights_trained", model.program.trained_numbers()},
                            {"weights_not_zero", used}}));
    return;
  }
  Summary summary;
  summary.add("network", model.description.network);
  summary.add("operations", count_text(static_cast<double>(model.program.operations.size())));
  summary.add("weights",
              fmt::format("{}, of which {} are not zero", count_text(static_cast<double>(all)),
                          count_text(static_cast<double>(used))));
  summary.add("model", o.out);
  print_result(summary.text());
}

}  // namespace

void add_neuralize(CLI::App& app) {
  auto options = std::make_shared<NeuralizeOptions>();
  std::vector<std::string> examples{"fgnn neuralize model.uai --iterations 20 --out bp.safetensors",
                                    "fgnn infer model.uai --method fgnn:bp.safetensors"};
  for (const auto& task : experiments::task_list()) {
    examples.insert(examples.end(), task.family_examples.begin(), task.family_examples.end());
  }
  CLI::App* command = add_command(
      app, "neuralize", "Compile belief propagation into a network",
      "The network's forward pass is that many flooding iterations of the algorithm, number for\n"
      "number. It is a model like a trained one: solve graphs with it (--method fgnn:MODEL),\n"
      "measure it (fgnn eval), train it further (fgnn train --from MODEL).\n"
      "From a FILE the potentials become weights, and the network solves that graph with any\n"
      "evidence. With --family the potentials are input features, and one network solves all\n"
      "graphs of a task. --latents and --channels add what can be learned, without effect at\n"
      "first: neural belief propagation. docs/neuralize.md tells how it works.",
      examples);
  command->add_option("file", options->file, "The graph")->type_name("FILE");
  command->add_option("--from", options->format, "Its format, when the ending does not tell")
      ->type_name("FORMAT");
  command->add_option("--family", options->family, "Instead: all graphs of this task")
      ->type_name("TASK");
  command->add_option("--task", options->task_set, "Settings of the task, separated by commas")
      ->delimiter(',')
      ->type_name("KEY=VALUE");
  command->add_option("--algorithm", options->algorithm, "sum-product or max-product")
      ->capture_default_str();
  auto& compile = options->family_options.compile;
  command->add_option("--iterations", compile.iterations, "How many")
      ->check(not_negative())
      ->capture_default_str();
  command->add_option("--damping", compile.damping, "Share of the old message kept")
      ->capture_default_str();
  command
      ->add_option("--temperature", options->family_options.temperature,
                   "Of a family's sum-product: towards 0 it becomes max-product")
      ->capture_default_str();
  command
      ->add_option("--floor", options->family_options.floor,
                   "Added to parity checks of a family: messages end at its logarithm")
      ->capture_default_str();
  command->add_option("--latents", compile.latents, "Latent numbers on every message")
      ->check(not_negative());
  command->add_option("--channels", compile.channels, "Learned product channels")
      ->check(not_negative());
  command->add_flag("--untied", compile.untied, "Weights of its own for every iteration");
  command->add_flag("--train-potentials", compile.train_potentials,
                    "Let training change the potentials too, not only what is beside them");
  command->add_option("--seed", compile.seed, "Of weights that have no effect yet")
      ->check(not_negative())
      ->capture_default_str();
  command->add_option("--out", options->out, "The model to write")->required()->type_name("MODEL");
  options->limits.declare_memory(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
