#include "fgnn/codes/generator.h"

#include <vector>

#include "fgnn/codes/encoder.h"

namespace fgnn::codes {

BitMatrix generator_matrix(const SparseParityMatrix& checks) {
  const Encoder encoder(checks);
  BitMatrix generator(encoder.dimension(), encoder.length());
  std::vector<std::uint8_t> message(encoder.dimension(), 0), word(encoder.length());
  for (std::uint32_t i = 0; i < encoder.dimension(); ++i) {
    message[i] = 1;
    encoder.encode(message, word);
    message[i] = 0;
    for (std::uint32_t c = 0; c < encoder.length(); ++c) {
      if (word[c] != 0) generator.set(i, c);
    }
  }
  return generator;
}

}  // namespace fgnn::codes
