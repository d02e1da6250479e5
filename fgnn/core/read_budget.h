// What reading a file may take: its limits, kept at the place of the last token.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fgnn/core/budget.h"
#include "fgnn/core/read_limits.h"
#include "fgnn/core/token_reader.h"

namespace fgnn {

// Keeps what a file declares within the limits; throws Error(too_large) at the last token taken.
// The reader looks at the clock from now on.
class ReadBudget {
 public:
  ReadBudget(TokenReader& reader, const ReadLimits& limits)
      : reader_(reader), limits_(limits), memory_("", limits.max_bytes) {
    reader.keep_to(limits.deadline);
  }

  // Variables with so many states each, and their memory.
  void declare(std::uint64_t variables, std::uint64_t states);
  // Memory that is about to be allocated: `count` entries of `size` bytes.
  void hold(std::uint64_t count, std::uint64_t size);
  // The same for a list of `count` entries that the file has to justify: call it before entry i is
  // read, and the memory is counted some entries ahead.
  void hold_ahead(std::uint64_t i, std::uint64_t count, std::uint64_t size) {
    constexpr std::uint64_t kAhead = 1024;
    if (i % kAhead == 0) hold(std::min(kAhead, count - i), size);
  }
  void give_back(std::uint64_t count, std::uint64_t size) { memory_.give_back(count * size); }
  // That of a block of variables with a name of its own.
  void hold_name(std::uint64_t length) { hold(1, 160 + 2 * length); }
  // That of a factor on so many variables, without its potential.
  void hold_factor(std::uint64_t arity);
  // Entries that a short text stands for, such as the variables of x[0..999].
  void imply(std::uint64_t entries);

 private:
  const TokenReader& reader_;
  ReadLimits limits_;
  Budget memory_;
  std::uint64_t variables_ = 0, states_ = 0, implied_ = 0;
};

}  // namespace fgnn
