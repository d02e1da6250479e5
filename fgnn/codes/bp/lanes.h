// Belief propagation on many words at once: a word per SIMD lane. A lane whose word is done takes
// the next one at once, so that stopping early pays. Cost per iteration: a few operations per edge,
// for 16 words at a time with AVX-512, 64 in eight bits.
//
// Min-sum works with L = log P(0) / P(1) of a bit, whose sign rule at a check has no exceptions.
// Sum-product works with ratios P(1) / P(0) at the bits and with the two probabilities of a message
// at the checks, instead of tanh and its inverse:
//
//   (p0, p1) ∘ (q0, q1) = (p0 q0 + p1 q1, p0 q1 + p1 q0)
//
// over all other bits by products from both sides. All terms are positive: nothing cancels, however
// certain a message is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fgnn/codes/bp/tanner.h"
#include "fgnn/codes/bp_options.h"

namespace fgnn::codes {

struct LaneJob {
  std::size_t count = 0;
  const float* llr = nullptr;  // log P(1) / P(0), word by word
  std::uint8_t* bits = nullptr;
  std::uint32_t* iterations = nullptr;
  std::uint8_t* valid = nullptr;
  float* soft = nullptr;  // may be null
};

void decode_in_lanes(const Tanner& graph, const BpDecoderOptions& options, const LaneJob& job);

}  // namespace fgnn::codes
