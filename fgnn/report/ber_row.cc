#include "fgnn/report/ber_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/io/json_text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::report {
namespace {

using codes::ChannelKind;
using codes::SnrScale;

std::string interval_text(double value, const codes::Interval& interval) {
  return fmt::format("{:9.2e} ({:.1e} … {:.1e})", value, interval.low, interval.high);
}

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.2f} M", per_second / 1e6);
  if (per_second >= 1e4) return fmt::format("{:.0f} k", per_second / 1e3);
  return fmt::format("{:.0f}", per_second);
}

double simulated_per_second(const codes::ErrorCounts& counts) {
  return counts.seconds > 0 ? static_cast<double>(counts.frames) / counts.seconds : 0;
}

const char* scale_title(SnrScale scale) {
  switch (scale) {
    case SnrScale::snr:
      return "SNR dB";
    case SnrScale::ebn0:
      return "Eb/N0 dB";
    case SnrScale::esn0:
      return "Es/N0 dB";
  }
  return "";
}

}  // namespace

std::string ber_preamble(const BerRun& run, ChannelKind kind, double burst_probability) {
  const codes::Code& code = *run.code;
  const auto& encoder = code.encoder;
  std::string text =
      fmt::format("# {}: {} bits, {}{} of message, rate {:.4g}\n", code.name, encoder.length(),
                  code.punctured.empty() ? "" : fmt::format("{} sent, ", code.sent()),
                  encoder.dimension(), code.rate());
  text += fmt::format("# channel {}, bit 1 is sent as +1, bit 0 as -1", name_of(kind));
  if (kind == ChannelKind::burst) {
    text += fmt::format("; bursts of variance σb² with probability {:g}", burst_probability);
  }
  if (has_sigma(kind)) {
    text += "\n# SNR = 20 log10(1/σ)";
    const double offset = codes::decibels_of(1, SnrScale::ebn0, code.rate());
    text += fmt::format("; here Eb/N0 = SNR {:+.2f} dB, Es/N0 = SNR -3.01 dB",
                        code.rate() > 0 && std::abs(offset) > 5e-3 ? offset : 0.0);
  }
  text += fmt::format(
      "\n# BER over the {} bits of the message; a frame is wrong when one of them is; 95 % "
      "intervals\n# words: {}; seed {}; codewords/s of the decoder on one thread, and of the whole "
      "simulation\n",
      encoder.dimension(), run.zero_words ? "zeros" : "random", run.seed);
  return text;
}

BerTable::BerTable(const BerRun& run, ChannelKind kind, const std::vector<std::string>& decoders)
    : run_(run), kind_(kind), decoder_width_(7) {
  for (const std::string& decoder : decoders) {
    decoder_width_ = std::max(decoder_width_, display_width(decoder));
  }
}

std::string BerTable::header() const {
  const char* level = has_sigma(kind_) ? scale_title(run_.scale) : "flip";
  std::string text =
      fmt::format("{:<{}}  {:>4}  {:>8}  {:>9}  {:>7}  {:<31}  {:<31}  {:>5}  {:>9}  {:>9}",
                  "decoder", decoder_width_, "σb", level, "frames", "wrong", "BER", "FER", "iter",
                  "decoded/s", "simul./s");
  const std::size_t width = display_width(text);
  text += "\n";
  for (std::size_t i = 0; i < width; ++i) text += "─";
  return text + "\n";
}

std::string BerTable::line(const BerRow& row) const {
  const auto& c = row.counts;
  const auto& encoder = run_.code->encoder;
  const double level = has_sigma(kind_)
                           ? codes::decibels_of(row.channel.sigma, run_.scale, run_.code->rate())
                           : row.channel.flip;
  return fmt::format(
      "{:<{}}  {:>4g}  {:>8.4g}  {:>9}  {:>7}  {:<31}  {:<31}  {:>5.1f}  {:>9}  {:>9}\n",
      row.decoder, decoder_width_, row.channel.burst_sigma, std::abs(level) < 1e-9 ? 0.0 : level,
      c.frames, c.frame_errors,
      interval_text(c.ber(encoder.dimension()), c.ber_interval(encoder.dimension())),
      interval_text(c.fer(), c.fer_interval()), c.mean_iterations(),
      rate_text(c.codewords_per_second()), rate_text(simulated_per_second(c)));
}

Json ber_json(const BerRun& run, const BerRow& row) {
  const auto& code = *run.code;
  const auto& encoder = code.encoder;
  const auto& channel = row.channel;
  const auto& c = row.counts;
  const std::uint64_t k = encoder.dimension();
  const codes::Interval ber = c.ber_interval(k), fer = c.fer_interval();
  Json j{{"code", code.name}, {"length", encoder.length()}, {"sent", code.sent()},
         {"dimension", k},    {"decoder", row.decoder},     {"channel", name_of(channel.kind)}};
  if (has_sigma(channel.kind)) {
    // Rounded, so that 2 dB is 2 and not its neighbour.
    const auto decibels = [&](SnrScale scale) {
      const double exact = codes::decibels_of(channel.sigma, scale, code.rate());
      return std::round(exact * 1e9) / 1e9 + 0.0;
    };
    j["snr_db"] = decibels(SnrScale::snr);
    j["ebn0_db"] = decibels(SnrScale::ebn0);
    j["esn0_db"] = decibels(SnrScale::esn0);
    j["sigma"] = channel.sigma;
    j["sigma_b"] = channel.burst_sigma;
    j["burst_probability"] = channel.burst_probability;
  } else {
    j["flip"] = channel.flip;
  }
  j.update(Json{{"seed", run.seed},
                {"words", run.zero_words ? "zeros" : "random"},
                {"frames", c.frames},
                {"bit_errors", c.bit_errors},
                {"squared_bit_errors", c.squared_bit_errors},
                {"frame_errors", c.frame_errors},
                {"undetected", c.undetected},
                {"ber", c.ber(k)},
                {"ber_low", ber.low},
                {"ber_high", ber.high},
                {"fer", c.fer()},
                {"fer_low", fer.low},
                {"fer_high", fer.high},
                {"iterations", c.mean_iterations()},
                {"all_iterations", c.iterations},
                {"codewords_per_second", c.codewords_per_second()},
                {"simulated_per_second", simulated_per_second(c)},
                {"decode_seconds", c.decode_seconds},
                {"seconds", c.seconds},
                {"fingerprint", codes::fingerprint(code)}});
  if (!row.identity.empty()) j["weights"] = row.identity;
  return j;
}

namespace {

constexpr const char* kCsvMembers[] = {"decoder",
                                       "channel",
                                       "snr_db",
                                       "ebn0_db",
                                       "esn0_db",
                                       "sigma_b",
                                       "flip",
                                       "frames",
                                       "bit_errors",
                                       "frame_errors",
                                       "ber",
                                       "ber_low",
                                       "ber_high",
                                       "fer",
                                       "fer_low",
                                       "fer_high",
                                       "iterations",
                                       "codewords_per_second",
                                       "simulated_per_second"};

}  // namespace

std::string ber_csv_header() { return fmt::format("{}\n", fmt::join(kCsvMembers, ",")); }

std::string ber_csv(const BerRun& run, const BerRow& row) {
  const Json cell = ber_json(run, row);
  std::string text;
  for (const char* member : kCsvMembers) {
    if (!text.empty()) text += ",";
    if (!cell.contains(member)) continue;
    // A decoder's name may hold commas: strings are quoted, as JSON quotes them.
    text += json_line(cell.at(member));
  }
  return text + "\n";
}

std::string ber_key(const Json& cell) {
  Json key = Json::array();
  for (const char* member : {"fingerprint", "decoder", "channel", "sigma", "sigma_b",
                             "burst_probability", "flip", "seed", "words", "weights"}) {
    key.push_back(cell.contains(member) ? cell.at(member) : Json());
  }
  return json_line(key);
}

codes::ErrorCounts ber_counts(const Json& cell) {
  // The library's own conversion would wrap what is negative and cut what is not whole.
  const auto whole = [&](const char* member) -> std::uint64_t {
    return cell.at(member).get_ref<const Json::number_unsigned_t&>();
  };
  codes::ErrorCounts c;
  c.frames = whole("frames");
  c.bit_errors = whole("bit_errors");
  c.squared_bit_errors = whole("squared_bit_errors");
  c.frame_errors = whole("frame_errors");
  c.undetected = whole("undetected");
  c.iterations = whole("all_iterations");
  c.decode_seconds = cell.at("decode_seconds");
  c.seconds = cell.at("seconds");
  return c;
}

}  // namespace fgnn::report
