// Joining the inputs of a bucket, block by block: what the passes and the search for the k best
// share.
#pragma once

#include <algorithm>
#include <vector>

#include "fgnn/infer/exact/kernels.h"
#include "fgnn/infer/exact/passes.h"

namespace fgnn::exact {

// Time of a block beside that of its joint states, in joint states.
inline constexpr std::size_t kPerBlock = 64;

// A part of a bucket's separator: some values of each outer axis.
struct Piece {
  std::vector<State> from, to;
};

// Steps through the blocks of a piece, keeping every input's offset up to date.
class Cursor {
 public:
  Cursor(const Buckets& plan, const Bucket& bucket, const Piece& piece)
      : plan_(plan), bucket_(bucket), piece_(piece), digit_(piece.from) {
    for (const Input& input : bucket.inputs) {
      std::size_t at = input.base;
      for (std::size_t a = 0; a < bucket.outer; ++a) at += offset(input, 1 + a, digit_[a]);
      at_.push_back(at);
    }
    std::size_t stride = bucket.block;
    strides_.resize(bucket.outer);
    for (std::size_t a = bucket.outer; a-- > 0; stride *= bucket.sizes[a]) {
      strides_[a] = stride;
      entry_ += digit_[a] * stride;
    }
  }

  std::size_t entry() const { return entry_; }  // of the separator
  std::size_t at(std::size_t input) const { return at_[input]; }

  bool next() {
    for (std::size_t a = bucket_.outer; a-- > 0;) {
      const State old = digit_[a];
      const bool wraps = old + 1 == piece_.to[a];
      const State fresh = wraps ? piece_.from[a] : old + 1;
      digit_[a] = fresh;
      entry_ += fresh * strides_[a] - old * strides_[a];
      for (std::size_t k = 0; k < at_.size(); ++k) {
        const Input& input = bucket_.inputs[k];
        at_[k] += offset(input, 1 + a, fresh) - offset(input, 1 + a, old);
      }
      if (!wraps) return true;
    }
    return false;
  }

 private:
  std::size_t offset(const Input& input, std::size_t axis, State x) const {
    const std::uint32_t at = input.offsets[axis];
    return at == Input::kAbsent ? 0 : plan_.offsets[at + x];
  }

  const Buckets& plan_;
  const Bucket& bucket_;
  const Piece& piece_;
  std::vector<State> digit_;
  std::vector<std::size_t> at_, strides_;
  std::size_t entry_ = 0;
};

// One bucket with the places of its inputs' numbers.
class Joiner {
 public:
  Joiner(const Pass& pass, const Bucket& bucket, const double* messages)
      : plan_(pass.plan),
        bucket_(bucket),
        data_(pass.data),
        messages_(messages),
        kept_(pass.keep) {}

  // Before join(): inputs without outer axes read the same numbers in every block and are added up
  // once. (A look at single joint states needs none of this.)
  void prepare() {
    constexpr std::size_t kMostFixed = 1 << 15;
    const auto& inputs = bucket_.inputs;
    while (constants_ < inputs.size() && inputs[constants_].access == Input::Access::constant) {
      ++constants_;
    }
    const bool several = bucket_.outer > 0 && bucket_.states * bucket_.block <= kMostFixed;
    for (std::size_t k = constants_; k < inputs.size(); ++k) {
      if (several && is_fixed(inputs[k])) {
        add_fixed(inputs[k]);
      } else {
        varying_.push_back(k);
      }
    }
  }

  std::size_t of_state(const Input& input, State x) const {
    return input.offsets[0] == Input::kAbsent ? 0 : plan_.offsets[input.offsets[0] + x];
  }

  // out = sum of all inputs on this block, with the variable in state x. False, with nothing
  // written, when an input that is constant there forbids it all.
  bool join(const Cursor& cursor, State x, double* out) const {
    const auto& inputs = bucket_.inputs;
    double constant = 0;
    for (std::size_t k = 0; k < constants_; ++k) {
      constant += data(inputs[k])[cursor.at(k) + of_state(inputs[k], x)];
    }
    if (constant == kForbidden) return false;
    if (fixed_.empty()) {
      std::fill_n(out, bucket_.block, constant);
    } else {
      kernels().shift(&fixed_[x * bucket_.block], constant, out, bucket_.block);
    }
    for (std::size_t k : varying_) {
      add(inputs[k], data(inputs[k]) + cursor.at(k) + of_state(inputs[k], x), out);
    }
    return true;
  }

  // The same for one joint state of the separator, given every variable's state.
  double join_one(State x, const std::vector<State>& states) const {
    double sum = 0;
    for (std::size_t k = 0; k < bucket_.inputs.size(); ++k) {
      const Input& input = bucket_.inputs[k];
      std::size_t at = input.base + of_state(input, x);
      for (std::size_t a = 0; a < bucket_.separator.size(); ++a) {
        const std::uint32_t offsets = input.offsets[1 + a];
        if (offsets != Input::kAbsent) at += plan_.offsets[offsets + states[bucket_.separator[a]]];
      }
      sum += data(input)[at];
    }
    return sum;
  }

 private:
  const double* data(const Input& input) const {
    if (!input.message) return data_[input.index];
    const Bucket& from = plan_.buckets[input.index];
    return messages_ + (kept_ ? from.kept : from.live);
  }

  bool is_fixed(const Input& input) const {
    return std::all_of(input.offsets.begin() + 1, input.offsets.begin() + 1 + bucket_.outer,
                       [](std::uint32_t at) { return at == Input::kAbsent; });
  }

  void add_fixed(const Input& input) {
    fixed_.resize(bucket_.states * bucket_.block, 0.0);
    for (State x = 0; x < bucket_.states; ++x) {
      add(input, data(input) + input.base + of_state(input, x), &fixed_[x * bucket_.block]);
    }
  }

  void add(const Input& input, const double* in, double* out) const {
    const Kernels& kernel = kernels();
    const std::int32_t* map = &plan_.maps[input.map];
    switch (input.access) {
      case Input::Access::constant:
        break;
      case Input::Access::contiguous:
        return kernel.add(in, out, bucket_.block);
      case Input::Access::runs:
        return kernel.add_runs(in, map, input.run, out, bucket_.block);
      case Input::Access::repeats:
        return kernel.add_repeats(in, map, input.run, out, bucket_.block);
      case Input::Access::gathered:
        return kernel.add_gathered(in, map, out, bucket_.block);
    }
  }

  const Buckets& plan_;
  const Bucket& bucket_;
  const std::vector<const double*>& data_;
  const double* messages_;
  bool kept_;
  std::size_t constants_ = 0;         // inputs that are constant in a block come first
  std::vector<std::size_t> varying_;  // those that differ from block to block
  std::vector<double> fixed_;         // the sum of the others, by state and place in the block
};

// Looks at the clock every so many joint states; one for each thread.
class Clock {
 public:
  explicit Clock(const Pass& pass) : budget_(pass.budget), time_(pass.budget.deadline()) {}
  void spend(std::size_t joint_states) {
    if (time_.late(joint_states)) budget_.check_time();
  }

 private:
  const Budget& budget_;
  TimeCheck time_;
};

}  // namespace fgnn::exact
