// The paper's synthetic MAP problems (models/synthetic.h) as a task: find the exact MAP.
//
//   variable features   theta_i(0), theta_i(1)
//   "pair"              the four log-potentials; two kinds of edges, by position
//   "budget"            k of "at most k" as steps 1[k >= 1], 1[k >= 2], …; one kind per position
// Edge features, for networks that read them, are the position as a unit vector.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "fgnn/models/synthetic.h"
#include "fgnn/tasks/pair_budget.h"
#include "fgnn/tasks/task.h"

namespace fgnn::tasks {

class SyntheticTask : public Task {
 public:
  // `seed` of the options is the seed of the test set; other streams are derived from it. With
  // `instances` > 0 training uses that many fixed ones, otherwise never the same twice.
  explicit SyntheticTask(SyntheticOptions options, std::uint64_t instances = 0);

  std::string name() const override { return "synthetic"; }
  network::Schema schema() const override;
  std::uint64_t size(Stream stream) const override {
    return stream == Stream::train ? instances_ : 0;
  }
  Labelled instance(Stream stream, std::uint64_t index) const override;
  std::map<std::string, std::string> settings() const override;

  // Features of any instance of the family, without labels.
  network::Batch features(const SyntheticInstance& instance) const;
  SyntheticInstance numbers(Stream stream, std::uint64_t index) const;

 private:
  std::shared_ptr<const network::Structure> shared_structure(const SyntheticInstance& instance,
                                                             const PairBudget& features) const;

  SyntheticOptions options_;
  std::uint64_t instances_;
  mutable std::mutex mutex_;  // structures are shared by instances of the same shape
  mutable std::map<std::vector<std::uint32_t>, std::shared_ptr<const network::Structure>> made_;
};

// The exact MAP: a dynamic programme over the last bits for chains, elimination otherwise.
std::vector<State> exact_labels(const SyntheticInstance& instance);

}  // namespace fgnn::tasks
