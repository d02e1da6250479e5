// Words in lanes: each lane gets the next word as soon as its own is done. Included once per
// target.
#if defined(FGNN_CODES_BP_RUNNER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_CODES_BP_RUNNER_INL_H_
#undef FGNN_CODES_BP_RUNNER_INL_H_
#else
#define FGNN_CODES_BP_RUNNER_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "fgnn/codes/bp/lanes.h"
#include "fgnn/codes/bp/state-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

// The ways of decoding, each compiled in a file of its own; see lanes.cc.
void sum_product_in_lanes(const Tanner& graph, const BpDecoderOptions& options, const LaneJob& job);
void min_sum_in_lanes(const Tanner& graph, const BpDecoderOptions& options, const LaneJob& job);
void fixed_min_sum_in_lanes(const Tanner& graph, const BpDecoderOptions& options,
                            const LaneJob& job);

template <class State>
class Runner {
 public:
  Runner(const Tanner& graph, const BpDecoderOptions& options, const LaneJob& job)
      : g_(graph), options_(options), job_(job), state_(graph, options) {}

  void run() {
    while (refill()) {
      if (options_.stop == Stop::first) {
        const LaneSet valid = busy_ & ~state_.decide();
        deliver(valid, valid);
        if (valid != 0) continue;
      }
      state_.iterate(fresh_);
      fresh_ = 0;
      ++now_;
      retire();
    }
  }

 private:
  static constexpr std::size_t kMost = 8 * sizeof(LaneSet);

  // Gives idle lanes the next words; false when there is nothing left to do.
  bool refill() {
    for (LaneSet idle = ~busy_ & all_; idle != 0 && next_ < job_.count; idle &= idle - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(idle));
      state_.load(lane, job_.llr + next_ * g_.bits);
      frame_[lane] = next_++;
      begin_[lane] = now_;
      busy_ |= LaneSet{1} << lane;
      fresh_ |= LaneSet{1} << lane;
    }
    return busy_ != 0;
  }

  // Delivers words whose checks hold and those that have had all their iterations.
  void retire() {
    const LaneSet over = had_all_iterations();
    if (options_.stop == Stop::never && over == 0) return;
    const LaneSet valid = busy_ & ~state_.decide();
    deliver(options_.stop == Stop::never ? over : over | valid, valid);
  }

  LaneSet had_all_iterations() {
    if (now_ - oldest_ < options_.iterations) return 0;
    LaneSet over = 0;
    oldest_ = now_;
    for (LaneSet left = busy_; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::uint64_t begin = begin_[static_cast<std::size_t>(lane)];
      if (now_ - begin >= options_.iterations) {
        over |= LaneSet{1} << lane;
      } else {
        oldest_ = std::min(oldest_, begin);
      }
    }
    return over;
  }

  void deliver(LaneSet done, LaneSet valid) {
    busy_ &= ~done;
    for (; done != 0; done &= done - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(done));
      const std::size_t f = frame_[lane], first = f * g_.bits;
      state_.bits(lane, job_.bits + first);
      if (job_.soft != nullptr) state_.soft(lane, job_.soft + first);
      job_.iterations[f] = static_cast<std::uint32_t>(now_ - begin_[lane]);
      job_.valid[f] = valid >> lane & 1;
    }
  }

  const Tanner& g_;
  const BpDecoderOptions& options_;
  const LaneJob& job_;
  State state_;
  const LaneSet all_ = ~LaneSet{0} >> (kMost - State::lanes());
  LaneSet busy_ = 0, fresh_ = 0;              // with a word; with one that saw no iteration yet
  std::array<std::size_t, kMost> frame_{};    // number of the word
  std::array<std::uint64_t, kMost> begin_{};  // when it came
  // Iterations so far; when the oldest word came, or earlier; number of the next word.
  std::uint64_t now_ = 0, oldest_ = 0;
  std::size_t next_ = 0;
};

template <template <bool> class Rule>
void decode_by(const Tanner& graph, const BpDecoderOptions& options, const LaneJob& job) {
  if (options.schedule == BpSchedule::layered) {
    Runner<State<Rule, true>>(graph, options, job).run();
  } else {
    Runner<State<Rule, false>>(graph, options, job).run();
  }
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
