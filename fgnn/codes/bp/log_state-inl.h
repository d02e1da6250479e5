// Decoding with L-values: min-sum in any order, sum-product layered. Included once per target.
#if defined(FGNN_CODES_BP_LOG_STATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_CODES_BP_LOG_STATE_INL_H_
#undef FGNN_CODES_BP_LOG_STATE_INL_H_
#else
#define FGNN_CODES_BP_LOG_STATE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "fgnn/codes/bp/runner-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

// The messages of all lanes as L-values.
template <class Update, bool kLayered>
class LogState {
 public:
  LogState(const Tanner& graph, const BpOptions& options)
      : g_(graph),
        rule_(options),
        channel_(kLayered ? 0 : graph.bits * w_, 0.0f),
        total_(graph.bits * w_, 0.0f),
        message_(graph.edges() * w_, 0.0f),
        scratch_((graph.most_bits + Update::scratch(graph.most_bits)) * w_, 0.0f) {}

  void load(std::size_t lane, const float* llr) {
    for (std::size_t b = 0; b < g_.bits; ++b) {
      const float l = 0 - llr[b];  // of an erasure +0, which is the bit 0
      total_[b * w_ + lane] = l;
      if constexpr (!kLayered) channel_[b * w_ + lane] = l;
    }
  }
  void reset(Mask fresh) {
    const D d;
    for (std::size_t e = 0; e < g_.edges(); ++e) {
      hn::BlendedStore(hn::Zero(d), fresh, d, message_.data() + e * w_);
    }
  }

  void iterate() {
    const D d;
    float* const x = scratch_.data();
    float* const scratch = x + g_.most_bits * w_;
    for (std::uint32_t c = 0; c < g_.checks; ++c) {
      const std::size_t begin = g_.check_begin[c], degree = g_.check_begin[c + 1] - begin;
      if (degree == 0) continue;
      const std::uint32_t* const bit = g_.edge_bit.data() + begin;
      float* const message = message_.data() + begin * w_;
      for (std::size_t i = 0; i < degree; ++i) {
        const V rest =
            hn::Sub(hn::Load(d, total_.data() + bit[i] * w_), hn::Load(d, message + i * w_));
        hn::Store(rest, d, x + i * w_);
        // The part of the total that stays; layered: the check's new message is added to it below.
        if constexpr (kLayered) hn::Store(rest, d, total_.data() + bit[i] * w_);
      }
      rule_.apply(d, degree, x, scratch);
      for (std::size_t i = 0; i < degree; ++i) {
        const V fresh = hn::Load(d, x + i * w_);
        hn::Store(fresh, d, message + i * w_);
        if constexpr (kLayered) {
          float* const total = total_.data() + bit[i] * w_;
          hn::Store(hn::Add(hn::Load(d, total), fresh), d, total);
        }
      }
    }
    if constexpr (!kLayered) {
      for (std::uint32_t b = 0; b < g_.bits; ++b) {
        V sum = hn::Load(d, channel_.data() + b * w_);
        for (std::uint32_t k = g_.bit_begin[b]; k < g_.bit_begin[b + 1]; ++k) {
          sum = hn::Add(sum, hn::Load(d, message_.data() + g_.bit_edge[k] * w_));
        }
        hn::Store(sum, d, total_.data() + b * w_);
      }
    }
  }

  const float* decision() const { return total_.data(); }
  float soft(std::size_t bit, std::size_t lane) const { return -total_[bit * w_ + lane]; }

 private:
  const Tanner& g_;
  const std::size_t w_ = hn::Lanes(D());
  Update rule_;
  Floats channel_, total_, message_, scratch_;
};

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
