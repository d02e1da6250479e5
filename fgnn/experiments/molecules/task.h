// Molecules as a task: one row per molecule, the targets asked for, scaled (scaling.h). The loss is
// the mean absolute error of scaled targets; measures are mean absolute errors in the paper's
// units, and their mean over targets in units of the deviations of the raw targets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/experiments/molecules/graphs.h"
#include "fgnn/experiments/molecules/scaling.h"
#include "fgnn/experiments/molecules/split.h"
#include "fgnn/tasks/task.h"

namespace fgnn::molecules {

struct TaskOptions {
  std::string data;  // a file of molecules with targets (molecule_file.h)
  GraphOptions graph;
  std::string targets = "all";  // or names joined by +
  Reference reference = Reference::atoms;
  std::string split = "random";
  std::uint64_t seed = 0;  // of the split
  std::string scaling;     // of a trained model; empty: by the training molecules
};

// Names of targets joined by +, or all. Throws Error(usage).
std::vector<std::size_t> targets_of(const std::string& text);

// Mean absolute error, named by target.
class AbsoluteErrors final : public tasks::LossRule {
 public:
  AbsoluteErrors(std::vector<std::size_t> targets, const Scaling& scaling);
  ~AbsoluteErrors() = default;
  std::string_view name() const override { return "molecules"; }
  void graph(const tasks::GraphOutput& g, tasks::Metrics& metrics,
             std::span<double> gradient) const override;

 private:
  std::vector<std::size_t> targets_;
  std::vector<double> unit_;
};

class MoleculeTask : public tasks::Task {
 public:
  explicit MoleculeTask(TaskOptions options);  // reads the file
  MoleculeTask(TaskOptions options, std::shared_ptr<const MoleculeSet> molecules);

  std::string name() const override { return "molecules"; }
  network::Schema schema() const override { return molecules::schema(options_.graph); }
  tasks::Loss loss() const override { return tasks::Loss(*rule_); }
  bool has(tasks::Stream stream) const override { return !of(stream).empty(); }
  std::uint64_t size(tasks::Stream stream) const override { return of(stream).size(); }
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override;
  std::map<std::string, std::string> settings() const override;

  const std::vector<std::size_t>& of(tasks::Stream stream) const;
  const MoleculeSet& molecules() const { return *molecules_; }
  const Scaling& scaling() const { return scaling_; }
  const std::vector<std::size_t>& targets() const { return targets_; }
  Form form() const { return options_.graph.form; }

 private:
  TaskOptions options_;
  std::shared_ptr<const MoleculeSet> molecules_;
  std::vector<std::size_t> targets_;
  Split split_;
  Scaling scaling_;
  std::unique_ptr<AbsoluteErrors> rule_;
};

}  // namespace fgnn::molecules
