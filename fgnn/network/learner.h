// A network that learns: forwards and backwards over a batch given in parts.
//
// Threads take parts as they come, stage by stage (schedule.h), and sums over parts are added in
// the order of the parts: the same parts give the same bits on any number of threads. The gradients
// of a stage's weights are added up as soon as all parts have them, so that no thread has a copy of
// all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/bf16.h"
#include "fgnn/network/model.h"
#include "fgnn/network/pass.h"
#include "fgnn/network/schedule.h"

namespace fgnn::network {

// How to run; all of it may change from step to step.
struct LearnOptions {
  int threads = 1;
  bool training = true;  // else batch norms use remembered moments, and dropout drops nothing
  bool input_gradients = false;                          // of the features too
  double momentum = 0.1;                                 // of running moments
  kernels::Products products = kernels::Products::full;  // of float matrices
  std::uint64_t seed = 0;                                // of dropout: another one for every step
  std::size_t first_part = 0;  // the number, over all processes, of the first part
  // Adds numbers up over all processes of a run, in place; empty when there is one process.
  std::function<void(std::span<double>)> sum;
  // Called when the numbers [begin, end) of the flat gradient are complete in this process.
  std::function<void(std::size_t begin, std::size_t end)> complete;
};

// T is float, or double for tests.
template <class T>
class Learner {
 public:
  explicit Learner(const Model& model);
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // Gets the rows of a part's output register, and writes the gradient of the loss by each number.
  using Loss =
      std::function<void(std::size_t part, std::span<const T> output, std::span<T> gradient)>;
  // The gradient is that of the sum of the losses of all parts. Parts must outlive the call. Throws
  // Error(usage) when features do not fit.
  void step(std::span<const Batch* const> parts, const LearnOptions& options, const Loss& loss);
  // The same in two halves, for losses that others know: forwards, where `seen` gets the outputs;
  // then backwards, where `gradient` writes the gradient of each part's output. Parts must live
  // until then, and the options must be the same. Any other run in between ends the first half.
  using Seen = std::function<void(std::size_t part, std::span<const T> output)>;
  using Gradient = std::function<void(std::size_t part, std::span<T> gradient)>;
  void begin_step(std::span<const Batch* const> parts, const LearnOptions& options,
                  const Seen& seen);
  void end_step(std::size_t parts, const LearnOptions& options, const Gradient& gradient);
  // Forwards alone; `seen` gets the outputs.
  void forward(std::span<const Batch* const> parts, const LearnOptions& options, const Seen& seen);

  const Program& program() const { return program_; }
  std::size_t output_width() const { return program_.registers[program_.output].width; }
  // Trained numbers and their gradients, flat; where each parameter begins is in offsets(), -1 for
  // running moments.
  std::span<T> weights() { return flat_; }
  std::span<T> gradient() { return gradient_; }
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  // Of one parameter, trained or not.
  std::span<T> parameter(int number) {
    return {pointers_[number], program_.parameters[number].count()};
  }
  // After a step with input_gradients: of an input register in a part; empty where there is none.
  std::span<const T> input_gradient(std::size_t part, int reg);

  // Gives the memory of the last step back to the system.
  void release_memory() { passes_.clear(); }

  // The weights back into (or from) a model with the same program.
  void store(Model& model) const;
  void load(const Model& model);

 private:
  using EachPart = std::function<void(Pass<T>& pass, std::size_t part)>;
  void each_part(std::size_t parts, const LearnOptions& options,
                 const kernels::Unchanged& unchanged, const EachPart& body);
  void start(std::span<const Batch* const> parts, const LearnOptions& options, bool back);
  kernels::Unchanged weights_now() const;
  std::span<const T> output(Pass<T>& pass) const;
  // `last` is done in each part behind the last stage.
  void run_forwards(std::span<const Batch* const> parts, const LearnOptions& options,
                    const kernels::Unchanged& unchanged, const EachPart& last);
  // The last stage has run already.
  void run_backwards(std::size_t parts, const LearnOptions& options,
                     const kernels::Unchanged& unchanged);
  void prepare(std::size_t parts, const Purpose& purpose);
  void prepare_weights(int threads);
  void run_forward(Pass<T>& pass, std::size_t part, const Stage& stage);
  void run_backward(Pass<T>& pass, std::size_t part, const Stage& stage);
  void meet(const Stage& stage, Step::Half half, const LearnOptions& options);
  void add_gradients(const Stage& stage, int threads);
  void announce(std::size_t stage, const LearnOptions& options);

  Program program_;
  kernels::AlignedVector<T> flat_, gradient_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::vector<T>> moments_;  // by parameter; empty for trained ones
  std::vector<T*> pointers_;             // by parameter
  Purpose purpose_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::unique_ptr<Pass<T>>> passes_;
  kernels::AlignedVector<T> prepared_;  // what operations make of the weights, one after another
  std::vector<const T*> prepared_of_;   // by operation
  // By part and operation: the numbers that it sums up in a meeting, and whether it runs backwards.
  std::vector<std::vector<std::span<double>>> meeting_;
  std::vector<std::vector<char>> flows_;
  std::vector<double> total_;
  std::vector<std::uint8_t> begun_;  // by parameter: whether its gradient has been written
};

}  // namespace fgnn::network
