#include "fgnn/tasks/ldpc.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "fgnn/codes/burst_level.h"
#include "fgnn/codes/code_files.h"
#include "fgnn/codes/construct.h"
#include "fgnn/codes/noise.h"
#include "fgnn/codes/osd.h"
#include "fgnn/core/error.h"

namespace fgnn::tasks {
namespace {

codes::Code code_of(const std::string& file) {
  if (file.empty()) {
    codes::PegOptions o;
    o.length = 96;
    o.checks = 48;
    return {"PEG(96,48)", codes::progressive_edge_growth(o)};
  }
  return {std::filesystem::path(file).stem().string(), codes::read_code(file)};
}

// One of the numbers from, from + step, … up to `to`.
double drawn(double from, double to, double step, double uniform) {
  const double count = std::floor((to - from) / step + 1e-9) + 1;
  return from + step * std::min(std::floor(uniform * count), count - 1);
}

void check_range(const char* what, double from, double to, double step) {
  const bool finite = std::isfinite(from) && std::isfinite(to) && std::isfinite(step);
  if (!finite || !(from <= to) || !(step > 0) || !std::isfinite((to - from) / step)) {
    throw Error(ErrorCode::usage, what, fmt::format("runs from {} to {} by {}", from, to, step),
                "give a range that is not empty, with a step above 0");
  }
}

}  // namespace

void LdpcOptions::validate() const {
  check_range("snr", snr_from, snr_to, snr_step);
  check_range("burst", burst_from, burst_to, burst_step);
  if (targets != "sent" && targets != "posterior") {
    throw Error(ErrorCode::usage, "targets", fmt::format("is '{}'", targets), "sent or posterior");
  }
  if (burst_from < 0) throw Error(ErrorCode::usage, "burst", "is a deviation: at least 0");
}

LdpcTask::LdpcTask(LdpcOptions options)
    : options_((options.validate(), std::move(options))),
      code_(code_of(options_.code)),
      view_(code_.checks, options_.view) {
  if (code_.encoder.dimension() == 0) {
    throw Error(ErrorCode::usage, code_.name, "has one word only");
  }
  if (options_.targets == "posterior") {
    teacher_ = std::make_unique<codes::OsdDecoder>(
        code_.checks, codes::OsdOptions{.order = 3, .output = codes::OsdOptions::Output::bits});
  }
}

Labelled LdpcTask::instance(Stream stream, std::uint64_t index) const {
  const codes::FrameId id{options_.seed, static_cast<std::uint64_t>(stream), index};
  const codes::RandomWords draw(id, 1000);
  codes::Channel channel;
  channel.kind = codes::ChannelKind::burst;
  channel.sigma =
      codes::sigma_of(drawn(options_.snr_from, options_.snr_to, options_.snr_step, draw.uniform(0)),
                      codes::SnrScale::snr, code_.encoder.rate());
  channel.burst_sigma =
      drawn(options_.burst_from, options_.burst_to, options_.burst_step, draw.uniform(1));
  std::vector<std::uint8_t> message(code_.encoder.dimension()), word(code_.encoder.length());
  codes::random_bits(id, message);
  code_.encoder.encode(message, word);
  std::vector<float> observed(word.size());
  codes::transmit(channel, id, word, observed);
  auto seen = view_.look(channel, observed);
  Labelled result;
  result.batch = std::move(seen.batch);
  for (std::size_t i = 0; i < word.size(); ++i) {
    result.classes.push_back(word[i] ^ seen.reference[i]);
  }
  if (stream == Stream::train && teacher_) add_posterior(channel, observed, seen.reference, result);
  return result;
}

void LdpcTask::add_posterior(const codes::Channel& channel, std::span<const float> observed,
                             std::span<const std::uint8_t> reference, Labelled& result) const {
  std::vector<float> ratio(observed.size());
  codes::word_log_ratios(channel, observed, ratio);
  codes::Decoded decoded;
  decoded.wants_soft = true;
  teacher_->decode({1, ratio, observed, channel}, decoded);
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const float one = reference[i] != 0 ? -decoded.soft[i] : decoded.soft[i];
    const float p = 1 / (1 + std::exp(-one));
    result.targets.insert(result.targets.end(), {1 - p, p});
  }
}

std::map<std::string, std::string> LdpcTask::settings() const {
  const auto range = [](double from, double to, double step) {
    return fmt::format("{}:{}:{}", from, to, step);
  };
  auto all = view_.options().settings();
  all["code"] = options_.code;
  all["snr"] = range(options_.snr_from, options_.snr_to, options_.snr_step);
  all["burst"] = range(options_.burst_from, options_.burst_to, options_.burst_step);
  all["targets"] = options_.targets;
  all["data_seed"] = std::to_string(options_.seed);
  return all;
}

}  // namespace fgnn::tasks
