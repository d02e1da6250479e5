#include "fgnn/experiments/molecules/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/parse.h"
#include "fgnn/experiments/molecules/molecule_file.h"

namespace fgnn::molecules {
namespace {

std::shared_ptr<const MoleculeSet> molecules_of(const std::string& file) {
  return std::make_shared<const MoleculeSet>(read_molecules(file, {}, default_threads()));
}

}  // namespace

std::vector<std::size_t> targets_of(const std::string& text) {
  std::vector<std::size_t> wanted;
  for (const auto& name : split(text, '+')) {
    if (text == "all") break;
    wanted.push_back(target_index(name));
    if (std::ranges::count(wanted, wanted.back()) > 1) {
      throw Error(ErrorCode::usage, "targets", fmt::format("has '{}' twice", name));
    }
  }
  for (std::size_t t = 0; text == "all" && t < kTargets; ++t) wanted.push_back(t);
  return wanted;
}

AbsoluteErrors::AbsoluteErrors(std::vector<std::size_t> targets, const Scaling& scaling)
    : targets_(std::move(targets)) {
  for (const std::size_t t : targets_) unit_.push_back(scaling.unit(t));
}

void AbsoluteErrors::graph(const tasks::GraphOutput& g, tasks::Metrics& metrics,
                           std::span<double> gradient) const {
  if (g.width != targets_.size()) {
    throw Error(
        ErrorCode::usage, "the network",
        fmt::format("says {} numbers where {} targets are asked for", g.width, targets_.size()),
        fmt::format("end it with Out({})", targets_.size()));
  }
  const double share = 1 / static_cast<double>(g.width);
  double loss = 0;
  for (std::size_t k = 0; k < g.width; ++k) {
    const double error = g.output[k] - static_cast<double>(g.targets[k]);
    loss += share * std::abs(error);
    if (!gradient.empty()) gradient[k] = error > 0 ? share : error < 0 ? -share : 0;
    const Target& target = molecules::targets()[targets_[k]];
    metrics.add_named(target.name, target.unit, std::abs(error) * unit_[k], 1);
  }
  metrics.loss += loss;
  metrics.rows += 1;
  metrics.graphs += 1;
}

MoleculeTask::MoleculeTask(TaskOptions options)
    : MoleculeTask(options, molecules_of(options.data)) {}

MoleculeTask::MoleculeTask(TaskOptions options, std::shared_ptr<const MoleculeSet> molecules)
    : options_(std::move(options)),
      molecules_(std::move(molecules)),
      targets_(targets_of(options_.targets)),
      split_(split_molecules(*molecules_, options_.split, options_.seed)) {
  if (!molecules_->has_targets()) {
    throw Error(ErrorCode::usage, options_.data.empty() ? "molecules" : options_.data,
                "has no targets", "see docs/molecules.md for files that have");
  }
  scaling_ = options_.scaling.empty() ? Scaling(*molecules_, split_.train, options_.reference)
                                      : Scaling(options_.scaling);
  rule_ = std::make_unique<AbsoluteErrors>(targets_, scaling_);
}

const std::vector<std::size_t>& MoleculeTask::of(tasks::Stream stream) const {
  return stream == tasks::Stream::train        ? split_.train
         : stream == tasks::Stream::validation ? split_.validation
                                               : split_.test;
}

tasks::Labelled MoleculeTask::instance(tasks::Stream stream, std::uint64_t index) const {
  const MoleculeView view = (*molecules_)[of(stream).at(index)];
  tasks::Labelled result;
  result.batch = molecules::graph(view, options_.graph);
  const auto x = regressors(view);
  for (const std::size_t t : targets_) {
    result.targets.push_back(static_cast<float>(scaling_.scaled(t, view.targets[t], x)));
  }
  return result;
}

std::map<std::string, std::string> MoleculeTask::settings() const {
  std::size_t atoms = 0, heavy = 0;  // for warnings about larger molecules
  for (const std::size_t m : split_.train) {
    atoms = std::max(atoms, (*molecules_)[m].atoms());
    heavy = std::max(heavy, (*molecules_)[m].heavy_atoms());
  }
  return {{"form", molecules::name(options_.graph.form)},
          {"sharing", molecules::name(options_.graph.sharing)},
          {"pairs", molecules::name(options_.graph.pairs)},
          {"targets", options_.targets},
          {"reference", molecules::name(options_.reference)},
          {"split", options_.split},
          {"data_seed", std::to_string(options_.seed)},
          {"scaling", scaling_.text()},
          {"largest_atoms", std::to_string(atoms)},
          {"largest_heavy", std::to_string(heavy)}};
}

}  // namespace fgnn::molecules
