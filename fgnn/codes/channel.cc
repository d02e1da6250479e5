#include "fgnn/codes/channel.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "fgnn/codes/noise.h"
#include "fgnn/core/error.h"

namespace fgnn::codes {
namespace {

// Different purposes draw from different streams of the same frame.
constexpr std::uint64_t kMessage = 0, kGaussian = 1, kBurst = 2;

float sign_of(std::uint8_t bit) { return bit != 0 ? 1.0f : -1.0f; }

}  // namespace

const Words<ChannelKind>& words_of(ChannelKind) {
  static const Words<ChannelKind> kWords{"a channel",
                                         {{"awgn", ChannelKind::awgn},
                                          {"burst", ChannelKind::burst},
                                          {"rayleigh", ChannelKind::rayleigh},
                                          {"bsc", ChannelKind::bsc},
                                          {"bec", ChannelKind::bec}}};
  return kWords;
}

const Words<SnrScale>& words_of(SnrScale) {
  static const Words<SnrScale> kWords{
      "a scale", {{"snr", SnrScale::snr}, {"ebn0", SnrScale::ebn0}, {"esn0", SnrScale::esn0}}};
  return kWords;
}

bool has_sigma(ChannelKind kind) { return kind != ChannelKind::bsc && kind != ChannelKind::bec; }

void Channel::validate() const {
  const auto require = [](bool holds, const char* what, double value, const char* why) {
    if (!holds) throw Error(ErrorCode::usage, what, fmt::format("{} {}", value, why));
  };
  require(!has_sigma(kind) || (sigma > 0 && std::isfinite(sigma)), "noise", sigma,
          "is not a standard deviation; it must be above zero");
  require(burst_sigma >= 0 && std::isfinite(burst_sigma), "burst noise", burst_sigma,
          "is not a standard deviation; it must not be negative");
  require(burst_probability >= 0 && burst_probability <= 1, "burst probability", burst_probability,
          "is not between 0 and 1");
  require(flip >= 0 && flip <= (kind == ChannelKind::bsc ? 0.5 : 1), "flip probability", flip,
          "is outside the channel's range: at most 0.5 for bsc, 1 for bec");
}

namespace {

// 1/σ² at 0 dB.
double precision_at_zero(SnrScale scale, double rate) {
  switch (scale) {
    case SnrScale::snr:
      return 1;
    case SnrScale::ebn0:
      return 2 * rate;
    case SnrScale::esn0:
      return 2;
  }
  return 1;
}

}  // namespace

double sigma_of(double decibels, SnrScale scale, double rate) {
  return std::pow(10, -decibels / 20) / std::sqrt(precision_at_zero(scale, rate));
}

double decibels_of(double sigma, SnrScale scale, double rate) {
  return -20 * std::log10(sigma * std::sqrt(precision_at_zero(scale, rate)));
}

void random_bits(const FrameId& id, std::span<std::uint8_t> bits) {
  RandomWords words(id, kMessage);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = words.word(i / 64) >> i % 64 & 1;
}

void transmit(const Channel& channel, const FrameId& id, std::span<const std::uint8_t> word,
              std::span<float> observed) {
  const std::size_t n = word.size();
  if (!has_sigma(channel.kind)) {
    const RandomWords words(id, kGaussian);
    for (std::size_t i = 0; i < n; ++i) {
      const bool hit = words.uniform(i) < channel.flip;
      const float lost = channel.kind == ChannelKind::bsc ? -1.0f : 0.0f;
      observed[i] = sign_of(word[i]) * (hit ? lost : 1.0f);
    }
    return;
  }
  thread_local std::vector<float> first, second;
  first.resize(n), second.resize(n);
  // Two independent normal numbers per position: the noise, and the burst or half of the fading.
  normal_pairs(id, kGaussian, first, second);
  const auto sigma = static_cast<float>(channel.sigma);
  for (std::size_t i = 0; i < n; ++i) observed[i] = sign_of(word[i]) + sigma * first[i];
  if (channel.kind == ChannelKind::burst && channel.burst_sigma > 0) {
    const RandomWords words(id, kBurst);
    const auto burst_sigma = static_cast<float>(channel.burst_sigma);
    for (std::size_t i = 0; i < n; ++i) {
      if (words.uniform(i) < channel.burst_probability) observed[i] += burst_sigma * second[i];
    }
  } else if (channel.kind == ChannelKind::rayleigh) {
    const RandomWords words(id, kBurst);
    for (std::size_t i = 0; i < n; ++i) {
      const auto h = static_cast<float>(std::sqrt(-std::log(1 - words.uniform(i))));
      observed[i] = h * (h * sign_of(word[i]) + sigma * first[i]);
    }
  }
}

}  // namespace fgnn::codes
