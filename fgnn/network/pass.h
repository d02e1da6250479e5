// One run of a network over one part of a batch: the arrays that operations read and write.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fgnn/kernels/linear.h"
#include "fgnn/kernels/pointwise.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/memory.h"
#include "fgnn/network/program.h"

namespace fgnn::network {

// What a run is for.
struct Purpose {
  bool training = false;   // batch norms use the batch's moments, dropout drops
  bool gradients = false;  // a backward pass follows
  bool inputs = false;     // gradients of the features too
  double momentum = 0.1;   // of running moments
};

template <class T>
class Pass;

// Where an operation writes the gradient of one register or parameter: it overwrites data(), which
// is null where nobody needs the gradient. What was there before is added when this goes.
template <class T>
class Into {
 public:
  Into() = default;
  Into(Into&& other) noexcept { *this = std::move(other); }
  Into& operator=(Into&& other) noexcept {
    finish();
    memory_ = std::exchange(other.memory_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    sum_ = std::exchange(other.sum_, nullptr);
    count_ = other.count_;
    return *this;
  }
  ~Into() { finish(); }
  T* data() const { return data_; }
  operator bool() const { return data_ != nullptr; }
  void finish() {
    if (sum_ != nullptr) {
      kernels::add(data_, sum_, count_);
      memory_->give_back(data_);
    }
    sum_ = data_ = nullptr;
  }

 private:
  friend class Pass<T>;
  Memory<T>* memory_ = nullptr;
  T* data_ = nullptr;
  T* sum_ = nullptr;  // where data_ is to be added; null when it is the sum itself
  std::size_t count_ = 0;
};

template <class T>
class Pass {
 public:
  // `weights` by parameter; not const for the running moments of batch norms. `wanted` says which
  // registers have a gradient.
  Pass(const Program& program, std::span<T* const> weights, const std::vector<bool>& wanted)
      : program_(program), weights_(weights), wanted_(wanted) {
    const std::size_t registers = program.registers.size();
    value_.resize(registers);
    gradient_.resize(registers);
    edges_.resize(registers);
    weight_gradient_.resize(program.parameters.size());
    kept_.resize(program.operations.size());
  }

  // ---- for operations ----

  const Program& program() const { return program_; }
  const Batch& batch() const { return *batch_; }
  const Structure& structure() const { return *batch_->structure; }
  const Purpose& purpose() const { return purpose_; }
  std::uint64_t seed() const { return seed_; }
  int threads() const { return threads_; }

  std::size_t rows(int reg) const {
    return network::rows(structure(), batch_->copies, program_.registers[reg].place);
  }
  std::size_t width(int reg) const { return program_.registers[reg].width; }
  std::size_t count(int reg) const { return rows(reg) * width(reg); }

  // Null for no register, or no parameter.
  const T* value(int reg) const { return reg < 0 ? nullptr : value_[reg]; }
  const T* weight(int parameter) const { return parameter < 0 ? nullptr : weights_[parameter]; }
  T* moments(int parameter) { return weights_[parameter]; }

  // What the running operation has prepared of the weights.
  const T* prepared() const { return prepared_[running_]; }

  // An array for the value of an output. Not set to anything.
  T* output(int reg) { return value_[reg] = memory_.take(count(reg)); }

  // The gradient of an output, which its operation may overwrite.
  T* gradient(int reg) { return gradient_[reg]; }
  Into<T> into(int reg) {
    return reg >= 0 && wanted_[reg] ? into(gradient_[reg], count(reg)) : Into<T>();
  }
  // The same for an operation that can add to what is there.
  kernels::RowsGradient<T> add_into(int reg) {
    if (reg < 0 || !wanted_[reg]) return {};
    if (gradient_[reg] != nullptr) return {gradient_[reg], true};
    return {gradient_[reg] = memory_.take(count(reg)), false};
  }
  Into<T> into_weight(int parameter) {
    if (parameter < 0 || !program_.parameters[parameter].trained) return {};
    return into(weight_gradient_[parameter], program_.parameters[parameter].count());
  }
  // Adds the gradient of an output to that of an input with as many numbers. The array itself
  // changes hands where the input has none yet: the operation must be done with it.
  void hand_on(int output, int input) {
    if (input < 0 || !wanted_[input] || gradient_[output] == nullptr) return;
    if (gradient_[input] == nullptr) {
      gradient_[input] = std::exchange(gradient_[output], nullptr);
    } else {
      kernels::add(gradient_[output], gradient_[input], count(input));
    }
  }
  // Adds an array from scratch() to the gradient of an input, or makes it the gradient.
  void adopt(int input, T* data) {
    if (wanted_[input] && gradient_[input] == nullptr) {
      gradient_[input] = data;
      return;
    }
    if (wanted_[input]) kernels::add(data, gradient_[input], count(input));
    memory_.give_back(data);
  }
  // Arrays for a moment.
  T* scratch(std::size_t n) { return memory_.take(n); }
  void give_back(const T* data) { memory_.give_back(data); }

  // What the running operation remembers from its forward to its backward run; kept from batch to
  // batch, so that its memory is.
  template <class S>
  S& kept() {
    auto& slot = kept_[running_];
    if (!slot) slot = std::make_unique<Kept<S>>();
    return static_cast<Kept<S>&>(*slot).value;
  }

  // Edges found while running, by the register that stands for them.
  void set_edges(int reg, Incidence edges) {
    edges_[reg] = std::make_unique<const Incidence>(std::move(edges));
  }
  const Incidence& edges(int reg) const { return *edges_[reg]; }

  // ---- for those who run them ----

  // Converts the features. The batch must outlive the run.
  void begin(const Batch& batch, const Purpose& purpose, std::uint64_t seed, int threads);
  void running(int operation) { running_ = operation; }
  void set_prepared(std::span<const T* const> by_operation) { prepared_ = by_operation; }
  void release_value(int reg) { release(value_[reg]); }
  void release_gradient(int reg) { release(gradient_[reg]); }
  // Of a parameter, where an operation has written one since it was last released; else null.
  const T* weight_gradient(int parameter) const { return weight_gradient_[parameter]; }
  void release_weight_gradient(int parameter) { release(weight_gradient_[parameter]); }
  // An array for the gradient of the network's output.
  T* begin_gradient(int reg) { return gradient_[reg] = memory_.take(count(reg)); }

 private:
  struct AnyKept {
    virtual ~AnyKept() = default;
  };
  template <class S>
  struct Kept : AnyKept {
    S value;
  };

  Into<T> into(T*& slot, std::size_t n) {
    Into<T> result;
    result.memory_ = &memory_;
    result.count_ = n;
    result.data_ = memory_.take(n);
    if (slot == nullptr) {
      slot = result.data_;
    } else {
      result.sum_ = slot;
    }
    return result;
  }
  void release(T*& slot) {
    if (slot != nullptr) memory_.give_back(slot);
    slot = nullptr;
  }

  const Program& program_;
  std::span<T* const> weights_;
  std::span<const T* const> prepared_;
  const std::vector<bool>& wanted_;
  const Batch* batch_ = nullptr;
  Purpose purpose_;
  std::uint64_t seed_ = 0;
  int threads_ = 1, running_ = 0;
  Memory<T> memory_;
  std::vector<T*> value_, gradient_, weight_gradient_;
  std::vector<std::unique_ptr<const Incidence>> edges_;
  std::vector<std::unique_ptr<AnyKept>> kept_;
};

}  // namespace fgnn::network
