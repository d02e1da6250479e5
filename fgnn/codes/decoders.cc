#include "fgnn/codes/decoders.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fgnn/codes/bp/lanes.h"
#include "fgnn/codes/decoder_sources.h"
#include "fgnn/codes/encoder.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/core/registry.h"
#include "fgnn/core/suggest.h"

namespace fgnn::codes {
namespace {

class BitwiseDecoder : public Decoder {
 public:
  BitwiseDecoder(const SparseParityMatrix& checks, LlrModel llr) : checks_(checks), llr_(llr) {}
  std::uint32_t length() const override { return checks_.num_columns(); }
  LlrModel llr() const override { return llr_; }
  void decode(const Frames& frames, Decoded& out) const override {
    const std::size_t n = length();
    out.resize(frames.count, n);
    for (std::size_t i = 0; i < out.bits.size(); ++i) out.bits[i] = frames.llr[i] > 0;
    std::copy_n(frames.llr.begin(), out.soft.size(), out.soft.begin());
    for (std::size_t f = 0; f < frames.count; ++f) {
      out.valid[f] = satisfies(checks_, std::span(out.bits).subspan(f * n, n));
    }
  }

 private:
  SparseParityMatrix checks_;
  LlrModel llr_;
};

class BpDecoder : public Decoder {
 public:
  BpDecoder(const SparseParityMatrix& checks, const BpDecoderOptions& options, LlrModel llr)
      : graph_(checks), options_(options), llr_(llr) {
    options.validate();
  }
  std::uint32_t length() const override { return graph_.bits; }
  LlrModel llr() const override { return llr_; }
  void decode(const Frames& frames, Decoded& out) const override {
    out.resize(frames.count, graph_.bits);
    decode_in_lanes(graph_, options_,
                    {frames.count, frames.llr.data(), out.bits.data(), out.iterations.data(),
                     out.valid.data(), out.wants_soft ? out.soft.data() : nullptr});
  }

 private:
  Tanner graph_;
  BpDecoderOptions options_;
  LlrModel llr_;
};

std::unique_ptr<Decoder> bp(const SparseParityMatrix& checks, const DecoderOptions& options) {
  return make_bp_decoder(checks, options.bp, options.llr);
}

std::unique_ptr<Decoder> osd(const SparseParityMatrix& checks, const DecoderOptions& options) {
  OsdOptions own = options.osd;
  own.llr = options.llr;
  return std::make_unique<OsdDecoder>(checks, own);
}

DecoderOptions sum_product(float clip, Stop stop) {
  DecoderOptions options;
  options.bp.clip = clip;
  options.bp.stop = stop;
  return options;
}

DecoderOptions min_sum(float scale, float offset) {
  DecoderOptions options;
  options.bp.rule = Rule::min_sum;
  options.bp.scale = scale;
  options.bp.offset = offset;
  options.bp.clip = std::numeric_limits<float>::infinity();
  return options;
}

const std::string kSumCost = "edges x iterations", kMinCost = "the same, a few times less";

std::vector<DecoderInfo> all_decoders() {
  const std::vector<std::string> sum{"iterations", "schedule", "stop", "clip", "llr"};
  const std::vector<std::string> min{"iterations", "schedule",  "stop", "clip", "scale",
                                     "offset",     "precision", "step", "llr"};
  return {
      {"bitwise",
       "each bit by its own ratio, no decoding",
       "length",
       {"llr"},
       {},
       [](const SparseParityMatrix& checks, const DecoderOptions& options) {
         return std::make_unique<BitwiseDecoder>(checks, options.llr);
       }},
      {"sum-product", "belief propagation", kSumCost, sum, {}, bp},
      {"mackay", "sum-product as in MacKay's program: flooding, clip=23", kSumCost, sum,
       sum_product(23, Stop::syndrome), bp},
      {"commpy", "sum-product as in CommPy: flooding, clip=37, stop=first", kSumCost, sum,
       sum_product(37, Stop::first), bp},
      {"min-sum", "the smallest message instead of the sum", kMinCost, min, min_sum(1, 0), bp},
      {"normalised-min-sum", "min-sum with messages scaled by 0.75", kMinCost, min,
       min_sum(0.75f, 0), bp},
      {"offset-min-sum", "min-sum with messages reduced by 0.5", kMinCost, min, min_sum(1, 0.5f),
       bp},
      {"osd",
       "ordered statistics: near maximum likelihood for short codes",
       "dimension ^ order",
       {"order", "output", "llr"},
       {},
       osd},
  };
}

Registry<DecoderSource>& sources() {
  struct Filled : Registry<DecoderSource> {
    Filled() {
      for (const auto& [prefix, source] : own_decoder_sources()) add(prefix, source);
    }
  };
  static Filled all;
  return all;
}

OrderedRegistry<DecoderInfo>& known_decoders() {
  struct Filled : OrderedRegistry<DecoderInfo> {
    Filled() : OrderedRegistry("decoder") {
      for (const DecoderInfo& info : all_decoders()) add(info.name, info);
    }
  };
  static Filled all;
  return all;
}

const DecoderInfo& find(std::string_view wanted) {
  if (const DecoderInfo* info = known_decoders().find(wanted)) return *info;
  std::vector<std::string> known = known_decoders().names();
  for (const auto& prefix : sources().names()) known.push_back(prefix + ":FILE");
  throw Error(ErrorCode::usage, fmt::format("decoder '{}'", wanted), "there is no such decoder",
              suggestion(wanted, known));
}

}  // namespace

const Words<BpSchedule>& words_of(BpSchedule) {
  static const Words<BpSchedule> kWords{
      "a schedule", {{"flooding", BpSchedule::flooding}, {"layered", BpSchedule::layered}}};
  return kWords;
}

const Words<Stop>& words_of(Stop) {
  static const Words<Stop> kWords{
      "a stopping rule",
      {{"syndrome", Stop::syndrome}, {"first", Stop::first}, {"never", Stop::never}}};
  return kWords;
}

const Words<Precision>& words_of(Precision) {
  static const Words<Precision> kWords{"a precision",
                                       {{"single", Precision::single}, {"int8", Precision::int8}}};
  return kWords;
}

const Words<OsdOutput>& words_of(OsdOutput) {
  static const Words<OsdOutput> kWords{"an output",
                                       {{"word", OsdOutput::word}, {"bits", OsdOutput::bits}}};
  return kWords;
}

const SettingList<DecoderOptions>& decoder_settings() {
  static const SettingList<DecoderOptions> kSettings = [] {
    SettingList<DecoderOptions> all("any decoder");
    const auto bp = [&](const char* name, auto member, const char* value, const char* description) {
      all.add(
          name, [member](auto& o) -> auto& { return o.bp.*member; }, value, description);
    };
    bp("iterations", &BpDecoderOptions::iterations, "N", "most passes over the code; 50");
    bp("schedule", &BpDecoderOptions::schedule, "ORDER",
       "flooding, or layered (about half the iterations)");
    bp("stop", &BpDecoderOptions::stop, "WHEN",
       "syndrome (when all checks hold), first (also before iterating) or never");
    bp("clip", &BpDecoderOptions::clip, "L", "messages into checks stay within -L … L");
    bp("scale", &BpDecoderOptions::scale, "S", "messages out of checks are multiplied by this");
    bp("offset", &BpDecoderOptions::offset, "B",
       "messages out of checks are brought towards zero by this");
    bp("precision", &BpDecoderOptions::precision, "P", "single, or int8 (several times as fast)");
    bp("step", &BpDecoderOptions::step, "L",
       "of int8: ratios are rounded to multiples of this; 0.25");
    all.add(
        "order", [](auto& o) -> auto& { return o.osd.order; }, "N",
        "0 to 4: how many bits of the basis may be wrong");
    all.add(
        "output", [](auto& o) -> auto& { return o.osd.output; }, "WHAT",
        "word (the best one) or bits (of the highest posterior over the list)");
    all.add("llr", &DecoderOptions::llr, "MODEL",
            "what is known of the noise: sigma, mixture or marginal");
    return all;
  }();
  return kSettings;
}

std::vector<DecoderInfo> decoders() { return known_decoders().values(); }

void add_decoder(DecoderInfo info) {
  const std::string name = info.name;
  known_decoders().add(name, std::move(info));
}

void add_decoder_source(std::string prefix, DecoderSource source) {
  sources().add(std::move(prefix), std::move(source));
}

std::unique_ptr<Decoder> make_decoder(const SparseParityMatrix& checks, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string rest(colon == text.npos ? "" : text.substr(colon + 1));
  if (const auto source = sources().find(name)) return (*source)(checks, rest);
  const DecoderInfo& info = find(name);
  DecoderOptions options = info.defaults;
  if (colon != text.npos) {
    const auto settings =
        decoder_settings().some(fmt::format("decoder '{}'", info.name), info.settings);
    for (const std::string& piece : split(rest, ',')) {
      settings.set_piece(options, piece, "sum-product:iterations=50,llr=marginal");
    }
  }
  return info.make(checks, options);
}

std::unique_ptr<Decoder> make_bp_decoder(const SparseParityMatrix& checks,
                                         const BpDecoderOptions& options, LlrModel llr) {
  return std::make_unique<BpDecoder>(checks, options, llr);
}

}  // namespace fgnn::codes
