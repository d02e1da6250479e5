// Sum-product, flooding.
#include <algorithm>
#include <cmath>

#include "fgnn/core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/codes/bp/sum_product.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/codes/bp/runner-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {

// Messages as pairs of probabilities: flooding sum-product. The arrays of messages hold those into
// the checks before a pass over the checks and those into the bits after it.
class PairState {
 public:
  // What the channel says is kept within this, so that products stay in single precision.
  static constexpr float kMostCertain = 40;

  PairState(const Tanner& graph, const BpOptions& options)
      : g_(graph),
        floor_(std::exp(-options.clip)),
        prior0_(graph.bits * w_, 0.5f),
        prior1_(graph.bits * w_, 0.5f),
        total0_(graph.bits * w_, 0.5f),
        total1_(graph.bits * w_, 0.5f),
        decision_(graph.bits * w_, 0.0f),
        message0_(graph.edges() * w_, 0.5f),
        message1_(graph.edges() * w_, 0.5f),
        scratch_(2 * std::max(graph.most_bits, graph.most_checks + 1) * w_, 0.0f),
        row0_((graph.bits + w_ - 1) / w_ * w_),
        row1_(row0_.size()) {}

  void load(std::size_t lane, const float* llr) {
    const D d;
    std::copy_n(llr, g_.bits, row0_.begin());
    for (std::size_t i = 0; i < row0_.size(); i += w_) {
      const V l = hn::Load(d, row0_.data() + i);
      const V t = hn::Exp(d, hn::Neg(hn::Min(hn::Abs(l), hn::Set(d, kMostCertain))));
      const V likely = hn::Div(hn::Set(d, 1.0f), hn::Add(hn::Set(d, 1.0f), t));
      const V unlikely = hn::Mul(t, likely);
      const auto is_one = hn::Gt(l, hn::Zero(d));
      hn::Store(hn::IfThenElse(is_one, unlikely, likely), d, row0_.data() + i);
      hn::Store(hn::IfThenElse(is_one, likely, unlikely), d, row1_.data() + i);
    }
    for (std::size_t b = 0; b < g_.bits; ++b) {
      prior0_[b * w_ + lane] = row0_[b];
      prior1_[b * w_ + lane] = row1_[b];
      decision_[b * w_ + lane] = row0_[b] - row1_[b];
    }
  }
  void reset(Mask fresh) {
    const D d;
    const V least = hn::Set(d, floor_);
    for (std::size_t e = 0; e < g_.edges(); ++e) {
      const std::size_t b = g_.edge_bit[e] * w_;
      const V zero = hn::Max(hn::Load(d, prior0_.data() + b), least);
      const V one = hn::Max(hn::Load(d, prior1_.data() + b), least);
      hn::BlendedStore(zero, fresh, d, message0_.data() + e * w_);
      hn::BlendedStore(one, fresh, d, message1_.data() + e * w_);
    }
    for (std::size_t i = 0; i < prior0_.size(); i += w_) {
      hn::BlendedStore(hn::Load(d, prior0_.data() + i), fresh, d, total0_.data() + i);
      hn::BlendedStore(hn::Load(d, prior1_.data() + i), fresh, d, total1_.data() + i);
    }
  }

  void iterate() {
    const D d;
    for (std::uint32_t c = 0; c < g_.checks; ++c) {
      const std::size_t begin = g_.check_begin[c], degree = g_.check_begin[c + 1] - begin;
      if (degree == 0) continue;
      combine_others(d, degree, message0_.data() + begin * w_, message1_.data() + begin * w_,
                     scratch_.data());
    }
    for (std::uint32_t b = 0; b < g_.bits; ++b) {
      const std::uint32_t* const edge = g_.bit_edge.data() + g_.bit_begin[b];
      const std::size_t degree = g_.bit_begin[b + 1] - g_.bit_begin[b];
      // Products of up to four numbers no smaller than 1e-12 stay within single precision as they
      // are; longer ones are normalised on the way.
      if (degree <= 3 && floor_ >= 1e-12f) {
        update_bit<false>(b, edge, degree);
      } else {
        update_bit<true>(b, edge, degree);
      }
    }
  }

  const float* decision() const { return decision_.data(); }
  float soft(std::size_t bit, std::size_t lane) const {
    return std::log(total1_[bit * w_ + lane] / total0_[bit * w_ + lane]);
  }

 private:
  // Element by element, for the bit; normalised to a sum of one if asked for. The floor keeps
  // products out of the range of denormal numbers, which are slow.
  template <bool kNormalise>
  static HWY_INLINE Pair both(D d, const Pair& a, const Pair& b) {
    const V least = hn::Set(d, 1e-25f);
    Pair p{hn::Max(hn::Mul(a.zero, b.zero), least), hn::Max(hn::Mul(a.one, b.one), least)};
    if constexpr (kNormalise) {
      const V scale = inverse(d, hn::Add(p.zero, p.one));
      p = {hn::Mul(p.zero, scale), hn::Mul(p.one, scale)};
    }
    return p;
  }

  HWY_INLINE Pair message(D d, std::uint32_t edge) const {
    return codes::HWY_NAMESPACE::load(d, message0_.data() + edge * w_,
                                      message1_.data() + edge * w_);
  }

  HWY_INLINE void send(D d, std::uint32_t edge, const Pair& p) {
    const V scale = inverse(d, hn::Add(p.zero, p.one)), least = hn::Set(d, floor_);
    hn::Store(hn::Max(hn::Mul(p.zero, scale), least), d, message0_.data() + edge * w_);
    hn::Store(hn::Max(hn::Mul(p.one, scale), least), d, message1_.data() + edge * w_);
  }

  template <bool kNormalise>
  HWY_INLINE void update_bit(std::uint32_t b, const std::uint32_t* edge, std::size_t degree) {
    const D d;
    Pair left = codes::HWY_NAMESPACE::load(d, prior0_.data() + b * w_, prior1_.data() + b * w_);
    float* const before = scratch_.data();
    for (std::size_t k = 0; k < degree; ++k) {
      hn::Store(left.zero, d, before + 2 * k * w_);
      hn::Store(left.one, d, before + (2 * k + 1) * w_);
      left = both<kNormalise>(d, left, message(d, edge[k]));
    }
    hn::Store(left.zero, d, total0_.data() + b * w_);
    hn::Store(left.one, d, total1_.data() + b * w_);
    hn::Store(hn::Sub(left.zero, left.one), d, decision_.data() + b * w_);
    Pair right{hn::Set(d, 1.0f), hn::Set(d, 1.0f)};
    for (std::size_t k = degree; k-- > 0;) {
      const Pair mine = message(d, edge[k]);
      const Pair rest =
          codes::HWY_NAMESPACE::load(d, before + 2 * k * w_, before + (2 * k + 1) * w_);
      send(d, edge[k], both<false>(d, rest, right));
      if (k > 0) right = both<kNormalise>(d, right, mine);
    }
  }

  const Tanner& g_;
  const std::size_t w_ = hn::Lanes(D());
  float floor_;  // least probability of a message into a check
  Floats prior0_, prior1_, total0_, total1_, decision_, message0_, message1_, scratch_, row0_,
      row1_;
};

void sum_product_in_lanes(const Tanner& graph, const BpOptions& options, const LaneJob& job) {
  Runner<PairState>(graph, options, job).run();
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
