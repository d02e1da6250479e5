// What every decoder of binary codes is: words in, by their log-likelihood ratios, and bits out.
// Decoders are made from text such as "sum-product:iterations=50,llr=marginal" (decoders.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fgnn/codes/channel.h"
#include "fgnn/codes/llr.h"

namespace fgnn::codes {

// Words as received, one after the other, length() numbers each.
struct Frames {
  std::size_t count = 0;
  std::span<const float> llr;       // log P(1) / P(0), by the model that the decoder asks for
  std::span<const float> observed;  // as the channel gave them; may be empty for decoders that only
                                    // look at the ratios, as all of this room do
  Channel channel;                  // what is known of the noise
};

struct Decoded {
  std::vector<std::uint8_t> bits;  // count * length, 0 or 1
  std::vector<std::uint32_t> iterations;
  std::vector<std::uint8_t> valid;  // whether all checks hold
  // Posterior log P(1) / P(0) of every bit, for decoders that have one and when asked for.
  std::vector<float> soft;
  bool wants_soft = false;

  void resize(std::size_t count, std::size_t length) {
    bits.resize(count * length);
    iterations.assign(count, 0);
    valid.assign(count, 0);
    soft.assign(wants_soft ? count * length : 0, 0.0f);
  }
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::uint32_t length() const = 0;
  virtual LlrModel llr() const = 0;
  // Of what was learned, so that logs tell weights of one name apart. Empty: the name says all.
  virtual std::string identity() const { return {}; }
  // Throws Error(unsupported) where words from such a channel, with so many positions that were
  // never sent, would be misread. Those who decode ask before.
  virtual void check(const Channel&, [[maybe_unused]] std::size_t punctured) const {}
  // May be called from several threads at once. A word's answer does not depend on the other words.
  virtual void decode(const Frames& frames, Decoded& out) const = 0;
};

}  // namespace fgnn::codes
