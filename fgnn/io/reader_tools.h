// What the readers of graphs share: limits, and checks that need the place of a token.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/io/read_limits.h"
#include "fgnn/io/token_reader.h"
#include "fgnn/potentials/table.h"

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

// Finds what is repeated within a list, at a constant cost per entry.
class RepeatFinder {
 public:
  void start_list() { ++list_; }
  // False when `id` was seen before in this list. Memory grows to the largest id.
  bool first_time(std::uint32_t id) {
    if (id >= last_list_.size()) last_list_.resize(id + std::size_t{1}, 0);
    return std::exchange(last_list_[id], list_) != list_;
  }

 private:
  std::uint32_t list_ = 0;  // as many lists as there are factors, which are counted by these too
  std::vector<std::uint32_t> last_list_;
};

// Adds tables to a builder such that equal ones are one shared potential. The budget holds each
// table before it is read; a shared one is given back.
class TablePool {
 public:
  PotentialId add(GraphBuilder& builder, std::vector<State> shape, std::vector<double> log_values,
                  ReadBudget& budget);

 private:
  struct Entry {
    std::shared_ptr<const Table> table;
    PotentialId id;
  };
  std::unordered_map<std::uint64_t, Entry> tables_;  // by hash; one per hash is enough
};

// Takes a non-negative number and returns its logarithm (zero: kForbidden).
double read_linear(TokenReader& reader, std::string_view what);

}  // namespace fgnn
