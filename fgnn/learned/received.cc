#include "fgnn/learned/received.h"

#include <algorithm>

#include "fgnn/codes/burst_level.h"
#include "fgnn/codes/decoders.h"
#include "fgnn/codes/llr.h"

namespace fgnn::learned {
namespace {

constexpr std::uint32_t kMostIterations = 1000, kMostOrder = 4;
constexpr float kSurest = 16;  // of a log-ratio: more says nothing

void add_unit(std::vector<double>& row, std::size_t at, std::size_t size) {
  row.resize(row.size() + size, 0.0);
  row[row.size() - size + at] = 1;
}

}  // namespace

std::shared_ptr<const network::Structure> check_structure(const SparseParityMatrix& checks) {
  network::Relation r;
  for (std::uint32_t c = 0; c < checks.num_rows(); ++c) {
    for (const std::uint32_t v : checks.row(c)) {
      r.factor.push_back(static_cast<network::Index>(r.factors));
      r.variable.push_back(v);
    }
    ++r.factors;
  }
  return std::make_shared<const network::Structure>(checks.num_columns(),
                                                    std::vector<network::Relation>{std::move(r)});
}

const SettingList<ReceivedOptions>& received_settings() {
  using O = ReceivedOptions;
  static const SettingList<O> kSettings = [] {
    SettingList<O> all("what is received");
    all.add_words("llr", &O::sigma_ratios,
                  Words<bool>{"a kind of ratio", {{"word", false}, {"sigma", true}}}, "KIND",
                  "or sigma: ratios that know of no bursts");
    all.add_words("view", &O::flips, Words<bool>{"a view", {{"bits", false}, {"flips", true}}},
                  "VIEW", "or flips: relative to the bitwise decisions");
    all.add("beliefs", &O::beliefs, "N+N",
            "iterations of sum-product whose beliefs are shown: 5+20", in(1, kMostIterations));
    all.add("lists", &O::lists, "N+N", "orders of ordered statistics whose lists are shown: 2",
            in(0, kMostOrder));
    all.add("positions", &O::positions, "CHOICE", "show each bit and check which it is");
    return all;
  }();
  return kSettings;
}

ReceivedOptions ReceivedOptions::of(const std::map<std::string, std::string>& settings) {
  ReceivedOptions o;
  for (const auto& setting : received_settings()) {
    const auto found = settings.find(setting.name);
    if (found != settings.end()) received_settings().set(o, setting.name, found->second);
  }
  return o;
}

ReceivedView::ReceivedView(const SparseParityMatrix& checks, ReceivedOptions options)
    : options_(std::move(options)), checks_(checks), structure_(check_structure(checks)) {
  for (const std::uint32_t iterations : options_.beliefs) {
    codes::BpDecoderOptions bp;
    bp.iterations = iterations;
    bp.stop = codes::Stop::never;
    others_.push_back(codes::make_bp_decoder(checks, bp, codes::LlrModel::sigma));
  }
  for (const std::uint32_t order : options_.lists) {
    others_.push_back(std::make_unique<codes::OsdDecoder>(
        checks, codes::OsdOptions{.order = order, .output = codes::OsdOutput::bits}));
  }
}

network::Schema ReceivedView::schema() const {
  const std::size_t bits = options_.positions ? checks_.num_columns() : 0;
  const std::size_t rows = options_.positions ? checks_.num_rows() : 0;
  return {(options_.flips ? 3 : 4) + others_.size() + bits,
          {{"check", (options_.flips ? 1 : 0) + rows, 1, 0}}};
}

ReceivedView::Words ReceivedView::look(const codes::Channel& channel,
                                       std::span<const float> observed) const {
  const std::size_t n = checks_.num_columns(), words = observed.size() / n;
  std::vector<float> ratio(observed.size());
  std::vector<double> level(words);
  for (std::size_t w = 0; w < words; ++w) {
    const auto y = observed.subspan(w * n, n);
    const auto l = std::span(ratio).subspan(w * n, n);
    level[w] = codes::word_log_ratios(channel, y, l).mean_level;
    if (options_.sigma_ratios) codes::log_ratios(channel, codes::LlrModel::sigma, y, l);
  }
  std::vector<codes::Decoded> opinions(others_.size());
  for (std::size_t d = 0; d < others_.size(); ++d) {
    opinions[d].wants_soft = true;
    others_[d]->decode({words, ratio, observed, channel}, opinions[d]);
  }

  Words out;
  out.batch.structure = structure_;
  out.batch.copies = words;
  out.batch.relations.resize(1);
  out.reference.assign(observed.size(), 0);
  auto& features = out.batch.variable;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const bool negative = options_.flips && ratio[i] < 0;
    const double sign = negative ? -1 : 1;
    if (options_.flips) {
      out.reference[i] = !negative;
      features.insert(features.end(), {sign * ratio[i] / 4, sign * observed[i] / channel.sigma / 4,
                                       level[i / n] / 5});
    } else {
      const double half = 0.5 * ratio[i];
      features.insert(features.end(),
                      {-half, half, observed[i] / channel.sigma / 4, level[i / n] / 5});
    }
    for (const auto& o : opinions) {
      features.push_back(sign * std::clamp(o.soft[i], -kSurest, kSurest) / 8);
    }
    if (options_.positions) add_unit(features, i % n, n);
  }
  auto& factor = out.batch.relations[0].factor;
  const bool seen = options_.flips || options_.positions;  // whether checks have features
  for (std::size_t w = 0; w < words && seen; ++w) {
    for (std::uint32_t c = 0; c < checks_.num_rows(); ++c) {
      unsigned parity = 0;
      for (const std::uint32_t v : checks_.row(c)) parity ^= out.reference[w * n + v];
      if (options_.flips) factor.push_back(parity != 0 ? 1 : -1);
      if (options_.positions) add_unit(factor, c, checks_.num_rows());
    }
  }
  return out;
}

}  // namespace fgnn::learned
