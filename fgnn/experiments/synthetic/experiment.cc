#include "fgnn/experiments/synthetic/experiment.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/experiments/settings.h"
#include "fgnn/experiments/synthetic/choice.h"
#include "fgnn/experiments/synthetic/commands.h"
#include "fgnn/experiments/synthetic/reproduce.h"
#include "fgnn/experiments/synthetic/task.h"

namespace fgnn::synthetic {
namespace {

using experiments::Settings;
using Kind = experiments::Option::Kind;

constexpr std::size_t kLargestUnlabelled = 8;  // side of a grid whose exact MAP takes a few ms

// The rows of the paper's table (every variable takes its own best state), then what the same
// methods reach when the answer has to be an allowed one.
constexpr const char* kCompared =
    "ad3:rounding=argmax,"
    "max-product:schedule=flooding,damping=0,iterations=50,rounding=argmax,"
    "max-product:schedule=flooding,damping=0.5,rounding=argmax,"
    "mplp:iterations=1000,rounding=argmax,"
    "ad3,max-product:schedule=flooding,damping=0.5,mplp,ad3-exact,exact";

std::unique_ptr<tasks::Task> make(const Settings& s) {
  SyntheticTaskOptions o = experiments::options_of(task_settings(), s);
  if (o.data.dataset == "D5" && o.data.side > kLargestUnlabelled && o.labels.empty()) {
    throw Error(
        ErrorCode::usage, "D5", "has labels that take too long to find while training",
        fmt::format("train on grids of side {} or less, or make them with fgnn label and give "
                    "--task labels=FOLDER",
                    kLargestUnlabelled));
  }
  return std::make_unique<SyntheticTask>(std::move(o));
}

experiments::TaskInfo task() {
  return {
      .name = "synthetic",
      .description =
          "the exact MAP of the paper's chains with budgets (D1 to D3), chains (D4) and trees, and "
          "of grids with budgets (D5)",
      .settings = experiments::settings_of(task_settings()),
      .make = make,
      .options = {{.name = "--dataset",
                   .value = "NAME",
                   .help = "Short for --task dataset=NAME",
                   .setting = "dataset"},
                  {.name = "--instances",
                   .value = "N",
                   .help = "Short for --task instances=N: that many fixed ones (the paper has "
                           "90000), instead of never the same twice",
                   .setting = "instances"},
                  {.name = "--order",
                   .value = "K",
                   .help = "Short for --task order=K",
                   .setting = "order"}},
      .examples = {"fgnn train synthetic --dataset D3 --out runs/d3",
                   "fgnn train synthetic --from bp.safetensors --out runs/warm",
                   "fgnn train synthetic --config my.json --set steps=20000 --out runs/mine "
                   "--resume"},
      .check_family =
          [](const Settings& s) {
            if (s.at("every_node") != "yes") return;
            throw Error(ErrorCode::unsupported, "every_node", "has budgets of several widths",
                        "a family is compiled for one; take every_node=no");
          },
      .family_examples = {
          "fgnn neuralize --family synthetic --task dataset=D3 --algorithm max-product --out "
          "mp.safetensors"}};
}

experiments::GraphFamily graphs() {
  std::vector<experiments::GraphModel> models;
  for (const SyntheticInfo& info : synthetic_datasets()) {
    models.push_back({info.name, info.description});
  }
  return {.datasets = {.name = "--synthetic",
                       .value = "MODELS",
                       .help = "Instances of D1, D2, D3, D4, tree or D5 instead",
                       .kind = Kind::list},
          .models = std::move(models),
          .options = instance_options(),
          .methods = kCompared,
          .examples = {"fgnn compare --synthetic D1,D2,D3 --count 1000"},
          .generate_examples = {"fgnn generate D3 --seed 7",
                                "fgnn generate D3 --seed 7 --count 10 --out instances"},
          .graphs = [](const std::string& dataset, const experiments::Arguments& given) {
            const SyntheticOptions options = chosen_instances(dataset, given.seed, given);
            return [options](std::uint64_t i) { return synthetic_instance(options, i).graph(); };
          }};
}

TextTable datasets() {
  TextTable table({{"model"}, {"what it is"}});
  for (const SyntheticInfo& info : synthetic_datasets()) table.add({info.name, info.description});
  return table;
}

}  // namespace

experiments::Experiment experiment() {
  return {.name = "synthetic",
          .description = "MAP on chains, trees and grids with budgets (section 5.1)",
          .tasks = {task()},
          .commands = {label_command(), demo_command()},
          .reproduction = reproduction(),
          .graphs = {graphs()},
          .lists = {{"synthetic", datasets}}};
}

}  // namespace fgnn::synthetic
