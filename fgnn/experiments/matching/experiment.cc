#include "fgnn/experiments/matching/experiment.h"

#include "fgnn/core/words.h"
#include "fgnn/experiments/matching/commands.h"
#include "fgnn/experiments/matching/network.h"
#include "fgnn/experiments/matching/reproduce.h"
#include "fgnn/experiments/matching/task.h"
#include "fgnn/experiments/registry.h"

namespace fgnn::matching {
namespace {

using experiments::Settings;

std::unique_ptr<tasks::Task> make(const Settings& s) {
  MatchingOptions o = matching_options(s);
  if (o.data != "random") {
    o.data = experiments::find_data(keypoints_source(), o.data, "task matching",
                                    "--data or --task data=DIR");
  }
  return std::make_unique<MatchingTask>(std::move(o));
}

// The network of the settings, and what trained the one that comes with the program.
experiments::Plan plan(const Settings& given, const experiments::Arguments& options) {
  experiments::Plan p;
  p.task = experiments::make_task("matching", given);
  const auto settings = p.task->settings();
  MatchingNetwork n;
  n.factors = settings.at("factors");
  n.nobody = settings.at("nobody") == "yes";
  n.mixture = options.text("--q") == "mixture";
  if (options.has("--width")) n.width = options.whole("--width");
  if (options.has("--blocks")) n.blocks = options.whole("--blocks");
  p.network.network = n.text();
  if (const std::string baseline = options.text("--baseline"); baseline == "zhang-lee") {
    p.network.network = zhang_lee_text(n.nobody);
  } else if (!baseline.empty()) {
    refuse_word(baseline, "a baseline of matching", std::vector<std::string>{"zhang-lee"});
  }
  p.training = R"({"steps": 6000, "batch": 32, "rate": 0.001, "weight_decay": 0.05,
                   "average": 0.999, "interval": 500, "validation": 2000})";
  return p;
}

experiments::TaskInfo task() {
  using Kind = experiments::Option::Kind;
  return {
      .name = "matching",
      .description =
          "the partners of keypoints in two pictures, or of random points; data=DIR of keypoints "
          "with features, or data=random",
      .settings = {{"data", "", "the folder of keypoints; default: voc in that of FGNN_DATA"},
                   {"protocol", "intersection", "points of a pair; or inclusion, unfiltered"},
                   {"common", "2", "keypoints that a pair has at least in common"},
                   {"nobody", "no", "points may be left without a partner"},
                   {"held_back", "10", "percent of the training objects, for validation"},
                   {"features", "yes", "descriptions beside positions"},
                   {"neighbours", "0", "nearest points that arcs join; 0: all"},
                   {"factors", "each+both", "both, sides, each, near, cross, joined by +; or none"},
                   {"turn", "0", "degrees by which training turns each side"},
                   {"scale", "0", "training stretches each side by up to exp(this)"},
                   {"jitter", "0", "deviation by which training moves points"},
                   {"drop", "0", "share of the descriptions' numbers that training drops"},
                   {"thin", "0", "training leaves out up to this share of the points"},
                   {"turned", "no", "tests turn each side at random"},
                   {"data_seed", "0", "of what is drawn"}},
      .make = make,
      .options = {{.name = "--width",
                   .value = "N",
                   .help = "Width of the network; 192",
                   .kind = Kind::positive},
                  {.name = "--blocks",
                   .value = "N",
                   .help = "Blocks of the network; 3",
                   .kind = Kind::positive},
                  {.name = "--baseline",
                   .value = "NAME",
                   .help = "zhang-lee, the stack of Zhang and Lee 2019"},
                  {.name = "--q",
                   .value = "KIND",
                   .help = "Matrices of pairwise messages: diagonal, or mixture of sixteen",
                   .choices = {"diagonal", "mixture"}}},
      .plan = plan,
      .examples = {"fgnn train matching --data voc --task drop=0.4 --out runs/m",
                   "fgnn train matching --task data=random,factors=both --out runs/points"}};
}

}  // namespace

experiments::DataSource keypoints_source() {
  return {"the folder of keypoints with features", "voc",
          "Pascal VOC with Berkeley's keypoints (docs/matching.md)"};
}

experiments::Experiment experiment() {
  return {.name = "matching",
          .description = "keypoints of two pictures matched (section 5.3)",
          .tasks = {task()},
          .commands = {match_command()},
          .reproduction = reproduction()};
}

}  // namespace fgnn::matching
