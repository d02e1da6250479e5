// Small tasks and networks that train in a moment.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/network/description.h"
#include "fgnn/tasks/task.h"

namespace fgnn::testing {

inline synthetic::SyntheticOptions short_chains(const std::string& dataset = "D3") {
  synthetic::SyntheticOptions options;
  options.dataset = dataset;
  options.length = 8;
  options.order = 3;
  return options;
}

inline network::Description small_network(const std::string& text = "2*FGNN(16) - Out(2)") {
  network::Description d;
  d.network = text;
  return d;
}

// Another task, with instances that something happens to; it cannot be told from the other by its
// name and settings.
class Altered : public tasks::Task {
 public:
  using Change = std::function<void(tasks::Stream, std::uint64_t index, tasks::Labelled&)>;
  Altered(const tasks::Task& task, Change change) : task_(task), change_(std::move(change)) {}

  std::string name() const override { return task_.name(); }
  network::Schema schema() const override { return task_.schema(); }
  tasks::Loss loss() const override { return task_.loss(); }
  bool has(tasks::Stream stream) const override { return task_.has(stream); }
  std::uint64_t size(tasks::Stream stream) const override { return task_.size(stream); }
  std::map<std::string, std::string> settings() const override { return task_.settings(); }
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override {
    auto labelled = task_.instance(stream, index);
    change_(stream, index, labelled);
    return labelled;
  }

 private:
  const tasks::Task& task_;
  Change change_;
};

}  // namespace fgnn::testing
