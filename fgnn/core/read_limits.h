// How much a file may ask for, so that a few bytes cannot take gigabytes or hours.
#pragma once

#include <cstdint>

#include "fgnn/core/timing.h"

namespace fgnn {

struct ReadLimits {
  std::uint64_t variables = std::uint64_t{1} << 24;
  std::uint64_t states = std::uint64_t{1} << 26;  // of all variables together
  // Entries that short texts stand for (the variables of x[0..999], the counts of at-most 999):
  // this many, and implied_per_byte more for each byte read.
  std::uint64_t implied = std::uint64_t{1} << 24;
  std::uint64_t implied_per_byte = 64;
  // Memory of what is read, counted before it is allocated.
  std::uint64_t max_bytes = std::uint64_t{8} << 30;
  const Deadline* deadline = nullptr;  // Error(time_limit) once it has passed
};

}  // namespace fgnn
