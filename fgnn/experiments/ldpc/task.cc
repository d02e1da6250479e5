#include "fgnn/experiments/ldpc/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "fgnn/codes/burst_level.h"
#include "fgnn/codes/construct.h"
#include "fgnn/codes/noise.h"
#include "fgnn/codes/osd.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/io/code_files.h"

namespace fgnn::ldpc {
namespace {

codes::Code code_of(const std::string& file) {
  if (file.empty()) {
    codes::PegOptions o;
    o.length = 96;
    o.checks = 48;
    return {"PEG(96,48)", codes::progressive_edge_growth(o)};
  }
  CodeFile read = read_code(file);
  if (!read.punctured.empty()) {
    throw Error(ErrorCode::unsupported, file, "has positions that are not sent",
                "networks learn codes that are sent as a whole");
  }
  return {std::filesystem::path(file).stem().string(), std::move(read.checks)};
}

// One of them, by a number from 0 to below 1.
double drawn(const std::vector<double>& levels, double uniform) {
  const auto i = static_cast<std::size_t>(uniform * static_cast<double>(levels.size()));
  return levels[std::min(i, levels.size() - 1)];
}

}  // namespace

const SettingList<LdpcOptions>& task_settings() {
  using O = LdpcOptions;
  static const SettingList<O> kSettings = [] {
    SettingList<O> all("task ldpc");
    all.add("code", &O::code, "FILE", "an alist file; default: a (96,48) code made here");
    all.add("snr", &O::snr, "LEVELS", "levels to draw from, in dB");
    all.add("burst", &O::burst, "LEVELS", "levels of the bursts' strength");
    for (const auto& setting : learned::received_settings()) {
      all.add(part_of<LdpcOptions>(setting, &O::view));
    }
    all.add("targets", &O::targets, "WHICH", "or posterior, by ordered statistics",
            one_of({"sent", "posterior"}));
    all.add("data_seed", &O::seed, "N", "of the words");
    return all;
  }();
  return kSettings;
}

LdpcTask::LdpcTask(LdpcOptions options)
    : options_(std::move(options)),
      snr_(parse_levels("snr", options_.snr)),
      burst_(parse_levels("burst", options_.burst)),
      code_(code_of(options_.code)),
      view_(code_.checks, options_.view) {
  if (code_.encoder.dimension() == 0) {
    throw Error(ErrorCode::usage, code_.name, "has one word only");
  }
  if (std::ranges::any_of(burst_, [](double level) { return level < 0; })) {
    throw Error(ErrorCode::usage, "burst", "is a deviation: at least 0");
  }
  if (options_.targets == "posterior") {
    teacher_ = std::make_unique<codes::OsdDecoder>(
        code_.checks, codes::OsdOptions{.order = 3, .output = codes::OsdOutput::bits});
  }
  task_settings().check(options_);
}

tasks::Labelled LdpcTask::instance(tasks::Stream stream, std::uint64_t index) const {
  const codes::FrameId id{options_.seed, static_cast<std::uint64_t>(stream), index};
  const codes::RandomWords draw(id, 1000);
  codes::Channel channel;
  channel.kind = codes::ChannelKind::burst;
  channel.sigma =
      codes::sigma_of(drawn(snr_, draw.uniform(0)), codes::SnrScale::snr, code_.encoder.rate());
  channel.burst_sigma = drawn(burst_, draw.uniform(1));
  std::vector<std::uint8_t> message(code_.encoder.dimension()), word(code_.encoder.length());
  codes::random_bits(id, message);
  code_.encoder.encode(message, word);
  std::vector<float> observed(word.size());
  codes::transmit(channel, id, word, observed);
  auto seen = view_.look(channel, observed);
  tasks::Labelled result;
  result.batch = std::move(seen.batch);
  for (std::size_t i = 0; i < word.size(); ++i) {
    result.classes.push_back(word[i] ^ seen.reference[i]);
  }
  if (stream == tasks::Stream::train && teacher_)
    add_posterior(channel, observed, seen.reference, result);
  return result;
}

void LdpcTask::add_posterior(const codes::Channel& channel, std::span<const float> observed,
                             std::span<const std::uint8_t> reference,
                             tasks::Labelled& result) const {
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
  return task_settings().map(options_);
}

}  // namespace fgnn::ldpc
