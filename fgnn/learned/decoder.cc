#include "fgnn/learned/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>

#include "fgnn/codes/decoder_sources.h"
#include "fgnn/codes/decoders.h"
#include "fgnn/codes/encoder.h"
#include "fgnn/core/error.h"
#include "fgnn/learned/received.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/fingerprint.h"
#include "fgnn/network/run.h"

namespace fgnn::learned {
namespace {

constexpr std::size_t kWordsAtOnce = 32;  // their messages stay in the cache

class LearnedDecoder : public codes::Decoder {
 public:
  LearnedDecoder(std::string name, const SparseParityMatrix& checks, network::Model model,
                 ReceivedView view)
      : name_(std::move(name)), checks_(checks), model_(std::move(model)), view_(std::move(view)) {
    const auto iterations = model_.metadata.find("iterations");
    if (iterations != model_.metadata.end()) {
      const std::string& text = iterations->second;
      std::from_chars(text.data(), text.data() + text.size(), iterations_);  // or stays
    }
  }

  std::uint32_t length() const override { return checks_.num_columns(); }
  codes::LlrModel llr() const override { return codes::LlrModel::sigma; }
  std::string identity() const override { return fingerprint(model_); }

  // Networks see the noise itself, and what they learned of is Gaussian with bursts.
  void check(const codes::Channel& channel, std::size_t punctured) const override {
    using codes::ChannelKind;
    if (channel.kind != ChannelKind::awgn && channel.kind != ChannelKind::burst) {
      throw Error(ErrorCode::unsupported, name_,
                  fmt::format("knows the channels awgn and burst, not {}", name_of(channel.kind)),
                  "take a decoder that reads ratios, such as sum-product");
    }
    if (punctured > 0) {
      throw Error(ErrorCode::unsupported, name_, "knows no code with positions that are not sent",
                  "take a decoder that reads ratios, such as sum-product");
    }
  }

  void decode(const codes::Frames& frames, codes::Decoded& out) const override {
    check(frames.channel, 0);
    if (frames.observed.empty()) {
      throw Error(ErrorCode::usage, "learned decoder",
                  "needs the channel's output, not only ratios");
    }
    const std::size_t n = length();
    out.resize(frames.count, n);
    auto runner = borrow();
    for (std::size_t begin = 0; begin < frames.count; begin += kWordsAtOnce) {
      const std::size_t count = std::min(kWordsAtOnce, frames.count - begin);
      const auto words = view_.look(frames.channel, frames.observed.subspan(begin * n, count * n));
      const auto logits = runner->run(words.batch, 1);
      for (std::size_t i = 0; i < count * n; ++i) {
        const float yes = logits[2 * i + 1] - logits[2 * i];
        const bool turned = words.reference[i] != 0;
        out.bits[begin * n + i] = (yes > 0) != turned;
        if (out.wants_soft) out.soft[begin * n + i] = turned ? -yes : yes;
      }
      for (std::size_t f = begin; f < begin + count; ++f) {
        out.iterations[f] = iterations_;
        out.valid[f] = codes::satisfies(checks_, std::span(out.bits).subspan(f * n, n));
      }
    }
    give_back(std::move(runner));
  }

 private:
  using Runner = network::Runner<float>;

  std::unique_ptr<Runner> borrow() const {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Runner>(model_);
    auto runner = std::move(idle_.back());
    idle_.pop_back();
    return runner;
  }
  void give_back(std::unique_ptr<Runner> runner) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(runner));
  }

  std::string name_;  // for messages
  SparseParityMatrix checks_;
  network::Model model_;
  ReceivedView view_;
  std::uint32_t iterations_ = 1;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Runner>> idle_;  // one for each thread that decodes
};

ReceivedOptions view_options(const network::Model& model, const std::string& file) {
  try {
    return ReceivedOptions::of(model.metadata);
  } catch (const Error& error) {
    throw Error(ErrorCode::format, file, fmt::format("its metadata: {}", error.what()));
  }
}

}  // namespace

std::unique_ptr<codes::Decoder> learned_decoder(const SparseParityMatrix& checks,
                                                const std::string& file) {
  network::Model model = load_network(file);
  ReceivedView view(checks, view_options(model, file));
  const network::Schema want = view.schema();
  const network::Schema& have = model.description.schema;
  const auto& output = model.program.registers[model.program.output];
  const auto same = [](const network::RelationSchema& a, const network::RelationSchema& b) {
    return a.name == b.name && a.factor_features == b.factor_features && a.kinds == b.kinds &&
           a.edge_features == b.edge_features;
  };
  if (view.options().positions && have.variable_features != want.variable_features) {
    throw Error(ErrorCode::unsupported, file, "was trained for a code of another size",
                "it knows the positions of its own code");
  }
  if (have.variable_features != want.variable_features || have.relations.size() != 1 ||
      !same(have.relations[0], want.relations[0]) || output.width != 2 ||
      output.place.rows != network::Place::variable) {
    throw Error(ErrorCode::unsupported, file, "is not a decoder", "train one with fgnn train ldpc");
  }
  return std::make_unique<LearnedDecoder>(file, checks, std::move(model), std::move(view));
}

}  // namespace fgnn::learned

std::vector<std::pair<std::string, fgnn::codes::DecoderSource>> fgnn::codes::own_decoder_sources() {
  return {{"fgnn", learned::learned_decoder}};
}
