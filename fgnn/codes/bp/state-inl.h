// The messages of all lanes, and an iteration over them. Included once per target.
//
// A rule, in a schedule, says what numbers stand for: how a ratio from the channel becomes one, how
// a bit joins what it hears, what a check tells its bits. It has
//
//   D                       the tag of its vectors, of at most 64 lanes
//   neutral()               the message that says nothing
//   channel(llr, n, out)    numbers for n ratios; both arrays have room for a vector more
//   join(total, message)
//   decision(total)         its sign bit is the bit
//   soft(total)             log P(1) / P(0) of one lane
//   scratch(degree)         vectors that `check` needs
//   check(c, scratch)       new messages of a check; layered also the new totals of its bits
#if defined(FGNN_CODES_BP_STATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_CODES_BP_STATE_INL_H_
#undef FGNN_CODES_BP_STATE_INL_H_
#else
#define FGNN_CODES_BP_STATE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fgnn/codes/bp/tanner.h"
#include "fgnn/codes/bp_options.h"
#include "fgnn/kernels/aligned.h"

#ifndef FGNN_CODES_BP_LANE_SET_
#define FGNN_CODES_BP_LANE_SET_
namespace fgnn::codes {

using LaneSet = std::uint64_t;  // lane l is bit l

}  // namespace fgnn::codes
#endif

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A check as rules see it: vectors of bit i from total + bit[i] * lanes, of its edge from
// message + i * lanes. What the edges of `fresh` lanes hold is of the word before and not read.
template <class D>
struct CheckOf {
  std::size_t degree;
  const std::uint32_t* bit;
  hn::TFromD<D>* total;
  hn::TFromD<D>* message;
  hn::Mask<D> fresh;

  HWY_INLINE hn::TFromD<D>* total_at(std::size_t i) const {
    return total + bit[i] * hn::Lanes(D());
  }
  HWY_INLINE hn::TFromD<D>* message_at(std::size_t i) const { return message + i * hn::Lanes(D()); }
  HWY_INLINE hn::Vec<D> old_message(std::size_t i, hn::Vec<D> neutral) const {
    return hn::IfThenElse(fresh, neutral, hn::Load(D(), message_at(i)));
  }
};

template <template <bool> class RuleOf, bool kLayered>
class State {
  using Rule = RuleOf<kLayered>;
  using D = typename Rule::D;
  using V = hn::Vec<D>;
  using Number = hn::TFromD<D>;
  using Numbers = kernels::AlignedVector<Number>;

 public:
  State(const Tanner& graph, const BpDecoderOptions& options)
      : g_(graph),
        rule_(options),
        channel_(kLayered ? 0 : graph.bits * w_),
        total_(graph.bits * w_),
        message_(graph.edges() * w_),
        scratch_(Rule::scratch(graph.most_bits) * w_),
        ones_(graph.bits),
        row_in_(graph.bits + kernels::kCacheLine),
        row_out_(graph.bits + kernels::kCacheLine) {}

  static std::size_t lanes() { return hn::Lanes(D()); }

  void load(std::size_t lane, const float* llr) {
    std::copy_n(llr, g_.bits, row_in_.begin());
    rule_.channel(row_in_.data(), g_.bits, row_out_.data());
    if constexpr (!kLayered) spread(lane, channel_.data());
    spread(lane, total_.data());
  }

  // Lanes in `fresh` begin.
  void iterate(LaneSet fresh) {
    const D d;
    const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&fresh));
    for (std::uint32_t c = 0; c < g_.checks; ++c) {
      const std::size_t begin = g_.check_begin[c], degree = g_.check_begin[c + 1] - begin;
      if (degree == 0) continue;
      rule_.check(CheckOf<D>{degree, g_.edge_bit.data() + begin, total_.data(),
                             message_.data() + begin * w_, mask},
                  scratch_.data());
    }
    if constexpr (!kLayered) {
      for (std::uint32_t b = 0; b < g_.bits; ++b) {
        V total = hn::Load(d, channel_.data() + b * w_);
        for (std::uint32_t k = g_.bit_begin[b]; k < g_.bit_begin[b + 1]; ++k) {
          total = rule_.join(total, hn::Load(d, message_.data() + g_.bit_edge[k] * w_));
        }
        hn::Store(total, d, total_.data() + b * w_);
      }
    }
  }

  // Decides all bits; returns the lanes in which some check does not hold.
  LaneSet decide() {
    const D d;
    const hn::RebindToSigned<D> whole;  // the sign bit counts, whatever the others are
    for (std::size_t b = 0; b < g_.bits; ++b) {
      const V decision = rule_.decision(hn::Load(d, total_.data() + b * w_));
      hn::StoreMaskBits(whole, hn::Lt(hn::BitCast(whole, decision), hn::Zero(whole)),
                        reinterpret_cast<std::uint8_t*>(&ones_[b]));
    }
    LaneSet broken = 0;
    for (std::uint32_t c = 0; c < g_.checks; ++c) {
      LaneSet odd = 0;
      for (std::uint32_t e = g_.check_begin[c]; e < g_.check_begin[c + 1]; ++e) {
        odd ^= ones_[g_.edge_bit[e]];
      }
      broken |= odd;
    }
    return broken;
  }

  void bits(std::size_t lane, std::uint8_t* out) const {
    // Bytes might be anything: without names of their own these were read again for each.
    const std::size_t n = g_.bits;
    const LaneSet* const ones = ones_.data();
    for (std::size_t b = 0; b < n; ++b) out[b] = ones[b] >> lane & 1;
  }
  void soft(std::size_t lane, float* out) const {
    for (std::size_t b = 0; b < g_.bits; ++b) out[b] = rule_.soft(total_[b * w_ + lane]);
  }

 private:
  void spread(std::size_t lane, Number* column) const {
    const std::size_t n = g_.bits, w = w_;
    const Number* const row = row_out_.data();
    for (std::size_t b = 0; b < n; ++b) column[b * w + lane] = row[b];
  }

  const Tanner& g_;
  const std::size_t w_ = lanes();
  Rule rule_;
  Numbers channel_, total_, message_, scratch_;
  kernels::AlignedVector<LaneSet> ones_;  // bits, as decided
  kernels::AlignedVector<float> row_in_;
  Numbers row_out_;
};

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
