#include "fgnn/codes/llr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/simd.h"
#include "fgnn/core/suggest.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/codes/llr.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#ifndef FGNN_CODES_LLR_TERM_
#define FGNN_CODES_LLR_TERM_
namespace fgnn::codes {

// One Gaussian of the mixture: weight * exp(log_scale - half_precision (y ∓ 1)²).
struct Term {
  float log_scale, half_precision;
};

}  // namespace fgnn::codes
#endif

HWY_BEFORE_NAMESPACE();
namespace fgnn::codes::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// log of the sum of the terms at squared distance s, shifted by the largest.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_density(D d, const Term* terms, std::size_t count, V s) {
  V top = hn::Set(d, -1e30f);
  for (std::size_t k = 0; k < count; ++k) {
    top = hn::Max(
        top, hn::NegMulAdd(hn::Set(d, terms[k].half_precision), s, hn::Set(d, terms[k].log_scale)));
  }
  V sum = hn::Zero(d);
  for (std::size_t k = 0; k < count; ++k) {
    const V one =
        hn::NegMulAdd(hn::Set(d, terms[k].half_precision), s, hn::Set(d, terms[k].log_scale));
    sum = hn::Add(sum, hn::Exp(d, hn::Sub(one, top)));
  }
  return hn::Add(top, hn::Log(d, sum));
}

void MixtureRatios(const Term* terms, std::size_t count, const float* y, float* llr,
                   std::size_t padded) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < padded; i += hn::Lanes(d)) {
    const auto v = hn::Load(d, y + i);
    const auto up = hn::Sub(v, hn::Set(d, 1.0f)), down = hn::Add(v, hn::Set(d, 1.0f));
    hn::Store(hn::Sub(log_density(d, terms, count, hn::Mul(up, up)),
                      log_density(d, terms, count, hn::Mul(down, down))),
              d, llr + i);
  }
}

}  // namespace fgnn::codes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::codes {
namespace {

HWY_EXPORT(MixtureRatios);

Term term(double weight, double variance) {
  return {static_cast<float>(std::log(weight) - 0.5 * std::log(variance)),
          static_cast<float>(0.5 / variance)};
}

std::vector<Term> terms_of(const Channel& channel, LlrModel model) {
  const double variance = channel.sigma * channel.sigma, eta = channel.burst_probability;
  std::vector<double> strengths{channel.burst_sigma};
  if (model == LlrModel::marginal) strengths = {0, 1, 2, 3, 4, 5};
  double quiet = 1 - eta;  // together with the bursts of strength 0
  std::vector<Term> terms;
  for (double s : strengths) {
    const double weight = eta / static_cast<double>(strengths.size());
    if (s == 0) {
      quiet += weight;
    } else if (weight > 0) {
      terms.push_back(term(weight, variance + s * s));
    }
  }
  if (quiet > 0) terms.push_back(term(quiet, variance));
  return terms;
}

void scale(double factor, std::span<const float> observed, std::span<float> llr) {
  const auto f = static_cast<float>(factor);
  for (std::size_t i = 0; i < llr.size(); ++i) llr[i] = f * observed[i];
}

}  // namespace

const Words<LlrModel>& words_of(LlrModel) {
  static const Words<LlrModel> kWords{"a model of noise",
                                      {{"sigma", LlrModel::sigma},
                                       {"mixture", LlrModel::mixture},
                                       {"marginal", LlrModel::marginal}}};
  return kWords;
}

void log_ratios(const Channel& channel, LlrModel model, std::span<const float> observed,
                std::span<float> llr) {
  if (channel.kind == ChannelKind::bec) return scale(kCertain, observed, llr);
  if (channel.kind == ChannelKind::bsc) {
    const double ratio = std::log((1 - channel.flip) / channel.flip);
    return scale(std::min<double>(ratio, kCertain), observed, llr);
  }
  if (channel.kind != ChannelKind::burst || model == LlrModel::sigma) {
    return scale(2 / (channel.sigma * channel.sigma), observed, llr);
  }
  const std::vector<Term> terms = terms_of(channel, model);
  constexpr std::size_t kPiece = 256;
  alignas(64) float y[kPiece], ratios[kPiece];
  for (std::size_t begin = 0; begin < llr.size(); begin += kPiece) {
    const std::size_t count = std::min(kPiece, llr.size() - begin);
    const auto offset = static_cast<std::ptrdiff_t>(begin);
    std::copy_n(observed.begin() + offset, count, y);
    const std::size_t padded = (count + 15) / 16 * 16;
    std::fill(y + count, y + padded, 0.0f);
    HWY_DYNAMIC_DISPATCH(MixtureRatios)(terms.data(), terms.size(), y, ratios, padded);
    std::copy_n(ratios, count, llr.begin() + offset);
  }
}

}  // namespace fgnn::codes
#endif
