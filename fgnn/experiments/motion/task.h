// Motion as a task: ten observed frames of a body, whose last one is repeated for as many frames as
// are predicted, as the first DCT coefficients of every node (Mao et al. 2019).
//
// Training uses every window of the training sequences. Validation: subject 11 of H3.6M, drawn as
// tests are; CMU has none, but the windows of some training sequences may be held back. Tests are
// those of the protocol (windows.h), in the order of actions.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "fgnn/experiments/motion/body.h"
#include "fgnn/experiments/motion/corpus.h"
#include "fgnn/experiments/motion/dct.h"
#include "fgnn/experiments/motion/evaluate.h"
#include "fgnn/experiments/motion/loss.h"
#include "fgnn/tasks/task.h"

namespace fgnn::motion {

struct TaskOptions {
  std::string data;  // folder (corpus.h)
  Form form = Form::position;
  std::size_t predicted = 25;    // frames: 10 or 25
  std::size_t coefficients = 0;  // 0: the protocol's
  std::size_t windows = 8;       // of each test sequence or action
  std::size_t stride = 1;        // between training windows
  std::size_t held_back = 0;     // CMU: every so many-th training sequence validates; 0: none

  void validate() const;  // throws Error(usage)
};

// As many as Mao et al. keep: all but five of positions, all of angles.
std::size_t protocol_coefficients(Form form, std::size_t predicted);

// What a network reads of observed frames (a row of nodes each): coefficients node by node.
std::vector<double> inputs_of(const Dct& dct, const std::vector<std::span<const double>>& observed);

class MotionTask : public tasks::Task {
 public:
  explicit MotionTask(TaskOptions options);

  std::string name() const override { return "motion"; }
  network::Schema schema() const override;
  tasks::Loss loss() const override { return tasks::Loss(*loss_); }
  bool has(tasks::Stream stream) const override;
  std::uint64_t size(tasks::Stream stream) const override { return of(stream).windows.size(); }
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override;
  std::map<std::string, std::string> settings() const override;

  const Body& body() const { return *body_; }
  const Dct& dct() const { return dct_; }
  const Corpus& corpus() const { return corpus_; }

 private:
  struct Window {
    std::size_t sequence, first;
  };
  // Read when first asked for: tests need no training data.
  struct Part {
    std::once_flag once;
    std::vector<std::vector<double>> truth;  // by sequence, rows of Body::truth
    std::vector<Window> windows;
  };
  const Part& of(tasks::Stream stream) const;
  void fill(Part& part, tasks::Stream stream) const;
  void draw(Part& part, std::vector<Sequence> sequences) const;
  void take_all(Part& part, const std::vector<Sequence>& sequences, bool validation) const;
  void keep(Part& part, const std::vector<Sequence>& sequences) const;

  TaskOptions options_;
  Corpus corpus_;
  std::unique_ptr<const Body> body_;
  Dct dct_;
  std::unique_ptr<const MotionLoss> loss_;
  std::shared_ptr<const network::Structure> structure_;
  std::size_t row_ = 0;  // numbers of Body::truth
  mutable Part parts_[3];
};

}  // namespace fgnn::motion
