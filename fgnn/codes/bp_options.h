// Message passing on a parity-check matrix: what is updated how, in which order, and until when.
#pragma once

#include <cstdint>

#include "fgnn/core/words.h"

namespace fgnn::codes {

enum class Rule { sum_product, min_sum };

enum class BpSchedule {
  flooding,  // all checks, then all bits
  layered,   // check by check, each seeing what the ones before it said: about half the iterations
};
const Words<BpSchedule>& words_of(BpSchedule);

enum class Stop {
  syndrome,  // after an iteration, when all checks hold
  first,     // the same, and before the first iteration as well
  never,     // after all iterations
};
const Words<Stop>& words_of(Stop);

enum class Precision {
  single,
  int8,  // min-sum alone: multiples of a step, four times as many words at once
};
const Words<Precision>& words_of(Precision);

struct BpDecoderOptions {
  Rule rule = Rule::sum_product;
  BpSchedule schedule = BpSchedule::flooding;
  Stop stop = Stop::syndrome;
  std::uint32_t iterations = 50;
  float scale = 1;   // min-sum: messages are multiplied by this (normalised min-sum) …
  float offset = 0;  // … and brought towards zero by this (offset min-sum)
  float clip = 27;   // messages into checks stay within ± this; infinity only for min-sum
  Precision precision = Precision::single;
  // int8: ratios are rounded to multiples of this and stay within ± 127 of them; messages within
  // ± 63, those out of checks within ± 31 if layered.
  float step = 0.25f;

  // Throws Error(usage).
  void validate() const;
};

}  // namespace fgnn::codes
