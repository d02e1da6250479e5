// The paper's synthetic MAP problems (experiments/synthetic/instances.h) as a task: find the exact
// MAP.
//
//   variable features   theta_i(0), theta_i(1)
//   "pair"              the four log-potentials; two kinds of edges, by position
//   "budget"            k of "at most k" as steps 1[k >= 1], 1[k >= 2], …; one kind per position
// Edge features, for networks that read them, are the position as a unit vector.
//
// The exact MAP of D5 takes a second to find on a grid of 12 x 12, 7 ms on 8 x 8: networks train on
// small grids and are tested on large ones, or instances come from files of labels (label_file.h),
// and training sees each in the eight symmetries of the square.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "fgnn/core/settings.h"
#include "fgnn/experiments/synthetic/instances.h"
#include "fgnn/experiments/synthetic/label_file.h"
#include "fgnn/learned/pair_budget.h"
#include "fgnn/tasks/task.h"

namespace fgnn::synthetic {

struct SyntheticTaskOptions {
  SyntheticOptions data;  // its seed is that of the test set; other streams are derived from it
  std::uint64_t instances = 0;  // of training, fixed; 0: never the same twice
  // Of each budget the network is shown only so many variables, those in the middle: what a wrong
  // structure costs (the paper's ablation). 0: all.
  std::size_t shown_order = 0;
  // Above 0, training asks of each state not whether it is the MAP's but how surely: 1 / (1 +
  // exp(-margin / temperature)), with the margin of margins.h. Says more of an instance than labels
  // do, and costs a search for every variable; not with labels from files.
  double temperature = 0;
  std::string labels;  // folder of label files; empty: exact_labels
};
const SettingList<SyntheticTaskOptions>& task_settings();

class SyntheticTask : public tasks::Task {
 public:
  explicit SyntheticTask(SyntheticOptions data) : SyntheticTask(SyntheticTaskOptions{data}) {}
  explicit SyntheticTask(SyntheticTaskOptions options);

  std::string name() const override { return "synthetic"; }
  network::Schema schema() const override;
  bool has(tasks::Stream stream) const override;
  void check_training() const override;
  std::uint64_t size(tasks::Stream stream) const override;
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override;
  // Without the folder of labels, which says nothing about a trained model.
  std::map<std::string, std::string> settings() const override;

  // Features of any instance of the family, without labels.
  network::Batch features(const SyntheticInstance& instance) const;
  SyntheticInstance numbers(tasks::Stream stream, std::uint64_t index) const;

 private:
  bool labels_from_files() const { return !options_.labels.empty(); }
  std::size_t shown() const;  // variables of a budget that the network sees at most
  void soften(const SyntheticInstance& instance, tasks::Labelled& result) const;
  tasks::Labelled from_file(tasks::Stream stream, std::uint64_t index) const;
  std::shared_ptr<const network::Structure> shared_structure(
      const SyntheticInstance& instance, const learned::PairBudget& features) const;

  SyntheticTaskOptions options_;
  std::array<std::vector<LabelLine>, 3> labels_;  // by stream
  mutable std::mutex mutex_;  // structures are shared by instances of the same shape
  mutable std::map<std::vector<std::uint32_t>, std::shared_ptr<const network::Structure>> made_;
};

// The seed of a stream's instances, from the seed of the test set.
std::uint64_t stream_seed(std::uint64_t test_seed, tasks::Stream stream);

// Whether the dynamic programme over the last values (infer/frontier.h) is what to solve it by. It
// is not for forests: without budgets no state is dropped, and children are far from their parents.
bool suits_frontier(const SyntheticInstance& instance);

// The exact MAP: two passes over a forest, else that dynamic programme, or elimination where
// factors reach too far for it.
std::vector<State> exact_labels(const SyntheticInstance& instance);

}  // namespace fgnn::synthetic
