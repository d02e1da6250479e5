#include "fgnn/experiments/motion/experiment.h"

#include "fgnn/experiments/motion/commands.h"
#include "fgnn/experiments/motion/networks.h"
#include "fgnn/experiments/motion/task.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/experiments/settings.h"

namespace fgnn::motion {
namespace {

using experiments::Settings, experiments::whole;
using Kind = experiments::Option::Kind;

std::unique_ptr<tasks::Task> make(const Settings& s) {
  TaskOptions o;
  o.form = form_of(s.at("form"));
  o.predicted = whole(s, "predicted");
  o.coefficients = whole(s, "coefficients");
  o.windows = whole(s, "windows");
  o.stride = whole(s, "stride");
  o.held_back = whole(s, "held_back");
  o.validate();
  o.data = experiments::find_data(cmu_source(), s.at("data"), "task motion",
                                  "--data or --task data=DIR");
  return std::make_unique<MotionTask>(std::move(o));
}

experiments::Plan plan(const Settings& given, const experiments::Arguments& options) {
  experiments::Plan p;
  p.task = experiments::make_task("motion", given);
  const auto& task = dynamic_cast<const MotionTask&>(*p.task);
  NetworkOptions n;
  if (options.has("--baseline")) n.network = options.text("--baseline");
  n.coefficients = task.dct().kept();
  p.network = network_of(n);
  const bool validates = task.has(tasks::Stream::validation);
  p.training = training_of(task.size(tasks::Stream::train),
                           validates ? task.size(tasks::Stream::validation) : 0,
                           options.has("--epochs") ? options.number("--epochs") : kEpochs);
  return p;
}

experiments::TaskInfo task() {
  return {.name = "motion",
          .description = "how a body moves on, joint by joint (CMU motion capture, H3.6M)",
          .settings = {{"data", "", "folder of motions; default: in the folder of FGNN_DATA"},
                       {"form", "position", "of joints in mm, or angle: exponential maps"},
                       {"predicted", "25", "frames of 40 ms behind ten observed ones"},
                       {"coefficients", "0", "of the DCT that are kept; 0: the protocol's"},
                       {"windows", "8", "tests of each action; 8, and 256 for less noise"},
                       {"stride", "1", "frames between training windows"},
                       {"held_back", "0", "every so many-th training sequence validates; 0: none"}},
          .make = make,
          .options = {{"--baseline", "NAME", "gcn, without factors; fgnn-small, gcn-small"},
                      {"--epochs", "N", "Passes over the windows; 50", Kind::positive}},
          .plan = plan,
          .examples = {"fgnn train motion --baseline gcn-small --out runs/gcn",
                       "fgnn train motion --task form=angle --out runs/angles"}};
}

}  // namespace

experiments::DataSource cmu_source() {
  return {"the folder of motions", "motion/cmu",
          "CMU's release of Li et al. (2018), or H3.6M's exponential maps (docs/motion.md)"};
}

experiments::DataSource h36m_source() {
  return {"the folder of H3.6M's exponential maps", "motion/h36m",
          "its licence forbids handing it on (docs/motion.md)"};
}

experiments::Experiment experiment() {
  return {.name = "motion",
          .description = "human motion, what comes next (section 5.6)",
          .tasks = {task()},
          .commands = {predict_command()},
          .reproduction = reproduction()};
}

}  // namespace fgnn::motion
