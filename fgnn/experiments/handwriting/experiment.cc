#include "fgnn/experiments/handwriting/experiment.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/experiments/handwriting/commands.h"
#include "fgnn/experiments/handwriting/network.h"
#include "fgnn/experiments/handwriting/reproduce.h"
#include "fgnn/experiments/handwriting/task.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/experiments/settings.h"

namespace fgnn::handwriting {
namespace {

using experiments::Settings;
using Kind = experiments::Option::Kind;

std::unique_ptr<tasks::Task> make(const Settings& s) {
  HandwritingOptions o = experiments::options_of(task_settings(), s);
  o.data = experiments::find_data(letters_source(), s.at("data"), "task handwriting",
                                  "--data or --task data=FILE");
  return std::make_unique<HandwritingTask>(std::move(o));
}

// A network and options of training for the order, rank and words at hand.
experiments::Plan plan(const Settings& given, const experiments::Arguments& options) {
  HandwritingNetwork n;
  if (options.has("--baseline")) n.kind = options.text("--baseline");
  if (options.has("--rank")) n.rank = options.whole("--rank");
  if (options.has("--features")) n.features = options.whole("--features");
  Settings settings = given;
  if (n.kind == "crf") settings.try_emplace("loss", "chain");
  if (n.kind == "mpnn") settings.try_emplace("pairs", "yes");
  if (!has_orders(n.kind)) settings.try_emplace("order", "0");
  experiments::Plan p;
  p.task = experiments::make_task("handwriting", settings);
  const auto& task = dynamic_cast<const HandwritingTask&>(*p.task);
  n.order = task.schema().relations.size();
  p.network = handwriting_network(n);
  p.training = handwriting_training(
      n, task.of(tasks::Stream::train).size(),
      options.has("--epochs") ? options.number("--epochs") : kHandwritingEpochs);
  return p;
}

experiments::TaskInfo task() {
  return {.name = "handwriting",
          .description =
              "the letters of handwritten words, by windows up to an order; data=FILE of letters, "
              "trained on one fold, tested on the others",
          .settings = experiments::settings_of(task_settings()),
          .make = make,
          .options = {{.name = "--fold",
                       .value = "N",
                       .help = "Short for --task fold=N",
                       .setting = "fold"},
                      {.name = "--order",
                       .value = "K",
                       .help = "Short for --task order=K",
                       .setting = "order"},
                      {"--rank", "R", "Width of the factors; 1024", Kind::positive},
                      {"--features", "N", "Numbers of a letter; 512", Kind::positive},
                      {"--baseline", "NAME",
                       "crf, a chain of letters; mpnn, pairwise messages; or product, factors that "
                       "multiply"},
                      {"--epochs", "N", "Passes over the words; 20", Kind::positive}},
          .plan = plan,
          .examples = {"fgnn train handwriting --data letters.tsv.gz --order 3 --fold 0 --out "
                       "runs/words"}};
}

}  // namespace

experiments::Experiment experiment() {
  auto commands = letters_commands();
  commands.push_back(read_command());
  return {.name = "handwriting",
          .description = "handwritten words read in context (section 5.4)",
          .tasks = {task()},
          .commands = std::move(commands),
          .reproduction = reproduction()};
}

}  // namespace fgnn::handwriting
