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
  using experiments::whole, experiments::yes;
  HandwritingOptions o;
  o.fold = whole<std::uint32_t>(s, "fold");
  o.order = whole(s, "order");
  o.pairs = yes(s, "pairs");
  o.augment = yes(s, "augment");
  const std::string& loss = s.at("loss");
  if (loss != "letters" && loss != "chain") {
    throw Error(ErrorCode::usage, "loss", fmt::format("is '{}'", loss), "letters or chain");
  }
  o.loss = loss == "chain" ? tasks::Loss::chain : tasks::Loss::cross_entropy;
  o.held_out = whole(s, "held_out");
  o.test = s.at("test");
  o.validation = whole(s, "validation");
  o.seed = whole(s, "data_seed");
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
          .settings = {{"data", "", "the file of letters; default: in the folder of FGNN_DATA"},
                       {"fold", "0", "to train on"},
                       {"order", "3", "of the largest factors; 0: every letter alone"},
                       {"pairs", "no", "neighbours instead of windows, for pairwise networks"},
                       {"augment", "yes", "turn, stretch and move images in training"},
                       {"loss", "letters", "or chain"},
                       {"held_out", "0", "distinct words left out of training"},
                       {"test", "all", "words to test on: all, held_out or seen"},
                       {"validation", "0", "words at the end of the fold kept for validation"},
                       {"data_seed", "0", "of what is drawn"}},
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
