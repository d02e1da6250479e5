// Belief propagation on parity checks, one word at a time in double precision with tanh: the slow
// twin of fgnn/codes/bp. In int8 it computes the same whole numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/codes/bp_options.h"
#include "fgnn/io/alist.h"

namespace fgnn::testing {

struct SlowDecoded {
  std::vector<std::uint8_t> bits;
  std::vector<double> soft;  // log P(1) / P(0)
  std::uint32_t iterations = 0;
  bool valid = false;
};

SlowDecoded slow_decode(const SparseParityMatrix& checks, const codes::BpDecoderOptions& options,
                        std::span<const float> llr);

}  // namespace fgnn::testing
