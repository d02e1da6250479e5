// Ordered-statistics decoding (Fossorier and Lin 1995), the near-maximum-likelihood reference for
// short codes.
//
// The k most reliable independent bits are a basis: their hard decisions fix a word, and so does
// every change of at most `order` of them. The word at the smallest distance, the sum of |llr|
// where it differs from the hard decisions, wins; changes that alone cost more than the best word
// so far are skipped. Cost: elimination, then at most sum over i <= order of (k choose i) words of
// (n - k) / 8 table look-ups.
//
// Instead of the best word, the bits of the highest posterior over the whole list can be asked for:
// fewer bit errors, though the bits need not be a word.
#pragma once

#include <cstdint>

#include "fgnn/codes/bit_matrix.h"
#include "fgnn/codes/decoder.h"
#include "fgnn/codes/parity_matrix.h"

namespace fgnn::codes {

enum class OsdOutput { word, bits };
const Words<OsdOutput>& words_of(OsdOutput);

struct OsdOptions {
  std::uint32_t order = 3;  // 0 to 4
  OsdOutput output = OsdOutput::word;
  LlrModel llr = LlrModel::sigma;
};

class OsdDecoder : public Decoder {
 public:
  static constexpr std::uint32_t kMostParityBits = 2048;

  // Throws Error(usage), and Error(unsupported) for more parity bits than kMostParityBits.
  OsdDecoder(const SparseParityMatrix& checks, const OsdOptions& options);

  std::uint32_t length() const override { return checks_.num_columns(); }
  LlrModel llr() const override { return options_.llr; }
  void decode(const Frames& frames, Decoded& out) const override;

 private:
  SparseParityMatrix checks_;
  OsdOptions options_;
  BitMatrix generator_;
};

}  // namespace fgnn::codes
