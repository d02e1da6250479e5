// A code: its parity checks, how to encode, and what to call it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/codes/encoder.h"
#include "fgnn/codes/parity_matrix.h"

namespace fgnn::codes {

// Some positions of a word may be punctured: they are not sent, and decoders are told nothing of
// them (a log-likelihood ratio of 0). The bits of the message count as any others, sent or not.
struct Code {
  std::string name;
  SparseParityMatrix checks;
  Encoder encoder;
  std::vector<std::uint32_t> punctured;  // positions, ascending

  // The budget, where there is one, is asked before the encoder is made (encoder.h).
  Code(std::string title, SparseParityMatrix matrix, std::vector<std::uint32_t> not_sent = {},
       Budget* budget = nullptr)
      : name(std::move(title)),
        checks(std::move(matrix)),
        encoder(checks, Encoder::kDenseLength, budget),
        punctured(std::move(not_sent)) {}

  std::uint32_t sent() const {
    return encoder.length() - static_cast<std::uint32_t>(punctured.size());
  }
  // Bits of the message per bit sent.
  double rate() const { return sent() > 0 ? double(encoder.dimension()) / sent() : 0; }
};

// A text that differs between codes that differ, for logs.
std::string fingerprint(const SparseParityMatrix& checks);
std::string fingerprint(const Code& code);

}  // namespace fgnn::codes
