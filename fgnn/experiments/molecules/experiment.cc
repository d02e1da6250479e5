#include "fgnn/experiments/molecules/experiment.h"

#include "fgnn/experiments/molecules/commands.h"
#include "fgnn/experiments/molecules/networks.h"
#include "fgnn/experiments/molecules/task.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/experiments/settings.h"

namespace fgnn::molecules {
namespace {

using experiments::Settings;
using Kind = experiments::Option::Kind;

std::unique_ptr<tasks::Task> make(const Settings& s) {
  TaskOptions o;
  o.graph = {form_of(s.at("form")), sharing_of(s.at("sharing")), pairs_of(s.at("pairs"))};
  o.targets = s.at("targets");
  o.reference = reference_of(s.at("reference"));
  o.split = s.at("split");
  o.seed = experiments::whole(s, "data_seed");
  o.scaling = s.at("scaling");
  o.data = experiments::find_data(qm9_source(), s.at("data"), "task molecules",
                                  "--data or --task data=FILE");
  return std::make_unique<MoleculeTask>(std::move(o));
}

// The network of a form, trained for so many epochs.
experiments::Plan plan(const Settings& given, const experiments::Arguments& options) {
  experiments::Plan p;
  p.task = experiments::make_task("molecules", given);
  const auto& task = dynamic_cast<const MoleculeTask&>(*p.task);
  NetworkOptions n;
  if (options.has("--baseline")) n.network = options.text("--baseline");
  if (options.has("--rank")) n.rank = options.whole("--rank");
  n.form = task.form();
  n.outputs = task.targets().size();
  p.network = network_of(n);
  p.training = training_of(n, task.size(tasks::Stream::train), task.size(tasks::Stream::validation),
                           options.has("--epochs") ? options.number("--epochs") : kEpochs);
  return p;
}

experiments::TaskInfo task() {
  return {
      .name = "molecules",
      .description = "twelve quantum chemical targets of molecules (QM9), or some of them",
      .settings = {{"data", "", "file or folder of molecules; default: in the folder of FGNN_DATA"},
                   {"form", "invariant", "or paper, or positions"},
                   {"sharing", "CABT", "which edges share weights: CAT, BT, CABT or CABTA"},
                   {"pairs", "complete", "for the MPNN: all, sparse (bonds), bonds (no lengths)"},
                   {"targets", "all", "or names joined by +"},
                   {"reference", "moments", "taken off before: none, atoms, or moments too"},
                   {"split", "random", "80:10:10, or size: up to 8 heavy atoms, tested on 9"},
                   {"data_seed", "0", "of the split"},
                   {"scaling", "", "of targets, kept in models; default: by what is trained on"}},
      .make = make,
      .options = {{"--rank", "R", "Width of the factors; 512, of the invariant form 128",
                   Kind::whole},
                  {"--baseline", "NAME", "mpnn, without factors; mpnn-large, as many parameters"},
                  {"--epochs", "N", "Passes over the molecules; 40", Kind::positive}},
      .plan = plan,
      .examples = {"fgnn train molecules --data qm9.safetensors --out runs/qm9"}};
}

}  // namespace

experiments::DataSource qm9_source() {
  return {"QM9", "qm9/qm9.safetensors", "its authors' folder will do (docs/molecules.md)"};
}

experiments::DataSource subset_source() {
  return {"a part of QM9", "qm9/qm9_subset.xyz.xz", "any file of molecules with targets will do"};
}

experiments::Experiment experiment() {
  auto commands = molecules_commands();
  commands.push_back(predict_command());
  return {.name = "molecules",
          .description = "properties of molecules from the places of their atoms (section 5.5)",
          .tasks = {task()},
          .commands = std::move(commands),
          .reproduction = reproduction()};
}

}  // namespace fgnn::molecules
