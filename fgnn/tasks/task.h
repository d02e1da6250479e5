// What a network is trained for and judged by: graphs with features, what is wanted of them, and a
// measure.
//
// Instances are named by numbers: instance i of a stream is the same whoever asks for it, in
// whatever batches. Training reads stream `train`, validation and tests their own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/core/control.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"
#include "fgnn/tasks/loss.h"

namespace fgnn::tasks {

// Graphs and what is wanted of the network's output rows: classes for cross-entropy (below 0: do
// not care), numbers for the other losses (rows x output width, unless the loss has its own
// number). Numbers beside classes are their probabilities, for tasks that know how sure a class is:
// training uses them, measures do not.
struct Labelled {
  network::Batch batch;
  std::vector<std::int64_t> classes;
  std::vector<float> targets;

  static Labelled of(std::span<const Labelled> graphs);
};

enum class Stream { train, validation, test };

class Task {
 public:
  virtual ~Task() = default;

  virtual std::string name() const = 0;
  virtual network::Schema schema() const = 0;
  virtual Loss loss() const { return Loss::cross_entropy; }
  virtual bool has(Stream) const { return true; }
  // Throws Error(usage) when a setting asks something of training that cannot be had; the task may
  // still be measured on.
  virtual void check_training() const {}
  // Instances that exist in a stream; 0: any number, made on the fly.
  virtual std::uint64_t size(Stream) const { return 0; }
  // One graph. Must be safe to call from several threads.
  virtual Labelled instance(Stream stream, std::uint64_t index) const = 0;
  // The task's own options, for the file of a trained model.
  virtual std::map<std::string, std::string> settings() const { return {}; }
};

// Graphs held in memory. Validation and test may be empty.
class MemoryTask : public Task {
 public:
  MemoryTask(network::Schema schema, Loss loss, std::vector<Labelled> train,
             std::vector<Labelled> validation = {}, std::vector<Labelled> test = {});

  std::string name() const override { return "memory"; }
  network::Schema schema() const override { return schema_; }
  Loss loss() const override { return loss_; }
  bool has(Stream stream) const override { return !of(stream).empty(); }
  std::uint64_t size(Stream stream) const override { return of(stream).size(); }
  Labelled instance(Stream stream, std::uint64_t index) const override {
    return of(stream).at(index);
  }

 private:
  const std::vector<Labelled>& of(Stream stream) const { return graphs_[static_cast<int>(stream)]; }
  network::Schema schema_;
  Loss loss_;
  std::vector<Labelled> graphs_[3];
};

// Losses and hits of output rows (rows x width). `graph_rows` are the rows of each graph. Where
// `gradient` is not empty it gets the derivative of the summed loss by every number of the output.
// Throws Error(usage) when labels do not fit.
Metrics measure(std::span<const float> output, std::size_t width, const Labelled& wanted, Loss loss,
                std::span<const std::size_t> graph_rows, std::span<float> gradient = {});

// Of the rows that a program's output has for a batch.
std::vector<std::size_t> output_rows(const network::Program& program, const network::Batch& batch);

// The model on `count` instances of a stream, in batches, which the ranks of a group share out; the
// sums are those of a single process, to the bit. Asked to stop, it measures no further batch: the
// metrics are those of what was measured.
Metrics evaluate(const network::Model& model, const Task& task, Stream stream, std::uint64_t count,
                 std::size_t batch, int threads, cluster::Group& group = cluster::alone(),
                 const Control& control = {});

// These instances, made on up to `threads` threads, as one batch.
Labelled batch_of(const Task& task, Stream stream, std::span<const std::uint64_t> indices,
                  int threads);

}  // namespace fgnn::tasks
