// What the readers of graphs share: checks that need the place of a token, and shared tables.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "fgnn/core/read_budget.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/table.h"

namespace fgnn {

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
