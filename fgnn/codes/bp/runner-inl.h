// Words in lanes: each lane gets the next word as soon as its own is done. Included once per
// target.
#if defined(FGNN_CODES_BP_RUNNER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_CODES_BP_RUNNER_INL_H_
#undef FGNN_CODES_BP_RUNNER_INL_H_
#else
#define FGNN_CODES_BP_RUNNER_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fgnn/codes/bp/lanes.h"
#include "fgnn/codes/bp/rules-inl.h"
#include "fgnn/kernels/aligned.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

using Mask = hn::Mask<D>;
using Floats = kernels::AlignedVector<float>;

// The ways of decoding, each compiled in a file of its own; see lanes.cc.
void min_sum_in_lanes(const Tanner& graph, const BpOptions& options, const LaneJob& job);
void sum_product_in_lanes(const Tanner& graph, const BpOptions& options, const LaneJob& job);
void layered_sum_product_in_lanes(const Tanner& graph, const BpOptions& options,
                                  const LaneJob& job);

// Lanes in which some check does not hold, from the signs of `decision`, a vector per bit.
HWY_INLINE V broken_checks(D d, const Tanner& g, const float* decision) {
  const std::size_t w = hn::Lanes(d);
  V broken = hn::Zero(d);
  for (std::uint32_t c = 0; c < g.checks; ++c) {
    V odd = hn::Zero(d);
    for (std::uint32_t e = g.check_begin[c]; e < g.check_begin[c + 1]; ++e) {
      odd = hn::Xor(odd, hn::Load(d, decision + g.edge_bit[e] * w));
    }
    broken = hn::Or(broken, odd);
  }
  return broken;
}

// `State` holds the messages of all lanes and improves them by an iteration.
template <class State>
class Runner {
 public:
  Runner(const Tanner& graph, const BpOptions& options, const LaneJob& job)
      : g_(graph), options_(options), job_(job), state_(graph, options) {
    frame_.fill(kIdle);
  }

  void run() {
    while (refill()) {
      if (options_.stop == Stop::first && retire(/*done=*/false) > 0) continue;
      state_.iterate();
      for (std::size_t lane = 0; lane < w_; ++lane) ++age_[lane];
      retire(/*done=*/true);
    }
  }

 private:
  static constexpr std::size_t kIdle = SIZE_MAX, kMost = HWY_MAX_BYTES / sizeof(float);

  // Gives idle lanes the next words; false when there is nothing left to do.
  bool refill() {
    HWY_ALIGN std::uint32_t fresh[kMost] = {};
    bool any = false, active = false;
    for (std::size_t lane = 0; lane < w_; ++lane) {
      if (frame_[lane] == kIdle && next_ < job_.count) {
        state_.load(lane, job_.llr + next_ * g_.bits);
        frame_[lane] = next_++;
        age_[lane] = 0;
        fresh[lane] = 1;
        any = true;
      }
      active = active || frame_[lane] != kIdle;
    }
    if (any) {
      const hn::RebindToUnsigned<D> u;
      state_.reset(hn::RebindMask(D(), hn::Gt(hn::Load(u, fresh), hn::Zero(u))));
    }
    return active;
  }

  // Delivers words whose checks hold and, if `done`, those that have had all their iterations.
  std::size_t retire(bool done) {
    HWY_ALIGN float broken[kMost];
    const bool last_only = options_.stop == Stop::never;
    bool last = false;
    for (std::size_t lane = 0; lane < w_; ++lane) {
      last = last || (done && frame_[lane] != kIdle && age_[lane] >= options_.iterations);
    }
    if (last_only && !last) return 0;
    hn::Store(broken_checks(D(), g_, state_.decision()), D(), broken);
    std::size_t retired = 0;
    for (std::size_t lane = 0; lane < w_; ++lane) {
      if (frame_[lane] == kIdle) continue;
      const bool valid = !std::signbit(broken[lane]);
      const bool over = done && age_[lane] >= options_.iterations;
      if (over || (valid && !last_only)) deliver(lane, valid), ++retired;
    }
    return retired;
  }

  void deliver(std::size_t lane, bool valid) {
    const std::size_t f = frame_[lane];
    const float* const decision = state_.decision() + lane;
    for (std::size_t b = 0; b < g_.bits; ++b) {
      job_.bits[f * g_.bits + b] = std::signbit(decision[b * w_]);
    }
    if (job_.soft != nullptr) {
      for (std::size_t b = 0; b < g_.bits; ++b) job_.soft[f * g_.bits + b] = state_.soft(b, lane);
    }
    job_.iterations[f] = age_[lane];
    job_.valid[f] = valid;
    frame_[lane] = kIdle;
  }

  const Tanner& g_;
  const BpOptions& options_;
  const LaneJob& job_;
  State state_;
  const std::size_t w_ = hn::Lanes(D());
  std::array<std::size_t, kMost> frame_{};
  std::array<std::uint32_t, kMost> age_{};
  std::size_t next_ = 0;
};

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
