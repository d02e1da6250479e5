#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "fgnn/core/token_reader.h"
#include "fgnn/io/libdai.h"
#include "fgnn/io/reader_tools.h"
#include "fgnn/potentials/sparse.h"

namespace fgnn {
namespace {

// A table is made when at least a quarter of it is listed, or when it is tiny.
constexpr std::uint64_t kTiny = 64, kShare = 4;
constexpr std::uint64_t kMapNode = 64;  // bytes of an entry of std::map

struct Block {
  Place place;
  std::vector<std::uint64_t> labels;
  std::vector<State> shape;
  std::vector<std::pair<std::uint64_t, double>> entries;  // index (first fastest), log-value
};

class FgReader {
 public:
  FgReader(std::istream& in, const std::string& file, const ReadLimits& limits)
      : tokens_(in, file, Comments::hash), budget_(tokens_, limits) {}

  // Variables are known only when all blocks are, so blocks are kept until then.
  FactorGraph read() {
    const std::uint64_t factors = tokens_.integer("a number of factors", 0, UINT32_MAX);
    std::vector<Block> blocks;
    for (std::uint64_t c = 0; c < factors; ++c) blocks.push_back(read_block());
    tokens_.expect_end("the last factor");
    declare_variables();
    for (Block& block : blocks) {
      tokens_.at(block.place, [&] { add(block); });
      block = {};
    }
    return std::move(builder_).build();
  }

 private:
  struct Variable {
    State states = 0;
    VariableId id = 0;
  };

  Block read_block();
  void read_labels(Block& block, std::uint64_t count);
  void read_shape(Block& block);
  void read_entries(Block& block);
  void check_repeats(const Block& block, std::span<const Place> places) const;
  void declare_variables();
  void add(Block& block);

  TokenReader tokens_;
  ReadBudget budget_;
  GraphBuilder builder_;
  std::map<std::uint64_t, Variable> variables_;  // by label
  TablePool tables_;
};

Block FgReader::read_block() {
  Block block;
  const std::uint64_t count = tokens_.integer("a number of variables", 0, UINT32_MAX);
  block.place = tokens_.place();
  budget_.hold(1, sizeof(Block));
  read_labels(block, count);
  read_shape(block);
  read_entries(block);
  return block;
}

void FgReader::read_labels(Block& block, std::uint64_t count) {
  std::vector<std::pair<std::uint64_t, Place>> sorted;
  budget_.hold_factor(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Its edge, its place while it is checked, and the variable behind it where it is new.
    budget_.hold_ahead(i, count, 32 + sizeof(Place) + kMapNode);
    block.labels.push_back(tokens_.integer("a label", 0, INT64_MAX));
    sorted.emplace_back(block.labels.back(), tokens_.place());
  }
  std::ranges::stable_sort(sorted, {}, &std::pair<std::uint64_t, Place>::first);
  const auto same = std::ranges::adjacent_find(sorted, {}, &std::pair<std::uint64_t, Place>::first);
  if (same != sorted.end()) {
    tokens_.fail_at((same + 1)->second, fmt::format("label {} is in a factor twice", same->first));
  }
}

void FgReader::read_shape(Block& block) {
  for (std::uint64_t label : block.labels) {
    const State states = tokens_.integer32("a number of states", 1);
    block.shape.push_back(states);
    Variable& known = variables_[label];
    if (known.states == 0) {
      budget_.declare(1, states);
      known.states = states;
    } else if (known.states != states) {
      tokens_.fail(fmt::format("the variable with label {} has {} states here, {} before", label,
                               states, known.states));
    }
  }
}

void FgReader::read_entries(Block& block) {
  const std::uint64_t size = configurations(block.shape);
  if (size == UINT64_MAX) tokens_.fail("the table would have 2^64 entries or more");
  const std::uint64_t listed = tokens_.integer("a number of non-zero entries", 0, size);
  auto& entries = block.entries;
  entries.reserve(std::min<std::uint64_t>(listed, 1024));  // the file must justify the rest
  std::vector<Place> places;  // of the first entry that does not ascend and of all after it
  for (std::uint64_t i = 0; i < listed; ++i) {
    budget_.hold_ahead(i, listed, sizeof(entries[0]));
    const std::uint64_t index = tokens_.integer("an index", 0, size - 1);
    const bool ascends = entries.empty() || entries.back().first < index;
    if (!places.empty() || !ascends) places.push_back(tokens_.place());
    entries.emplace_back(index, read_linear(tokens_, "a number"));
  }
  if (!places.empty()) check_repeats(block, places);
}

// Of two entries with the same index the later one is among those whose places are known.
void FgReader::check_repeats(const Block& block, std::span<const Place> places) const {
  const auto index_of = [&](std::size_t i) { return block.entries[i].first; };
  std::vector<std::size_t> order(block.entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, index_of);
  const auto same = std::ranges::adjacent_find(order, {}, index_of);
  if (same == order.end()) return;
  const std::size_t later = *(same + 1) - (order.size() - places.size());
  tokens_.fail_at(places[later], fmt::format("index {} is listed twice", index_of(*same)));
}

void FgReader::declare_variables() {
  std::vector<State> states;
  bool array = true;
  for (auto& [label, variable] : variables_) {
    variable.id = static_cast<VariableId>(states.size());
    array = array && label == states.size();
    states.push_back(variable.states);
  }
  if (array) {
    builder_.variables("x", states);
    return;
  }
  for (const auto& [label, variable] : variables_) {
    budget_.hold_name(0);
    builder_.variable(fmt::format("x{}", label), variable.states);
  }
}

void FgReader::add(Block& block) {
  const std::uint64_t size = configurations(block.shape);
  const bool dense = block.shape.size() < 2 || size <= kShare * block.entries.size() + kTiny;
  budget_.hold(dense ? size : block.entries.size(),
               sizeof(double) + (dense ? 0 : block.shape.size() * sizeof(State)));
  std::vector<double> values(dense ? size : 0, kForbidden);
  std::vector<State> rows;
  std::vector<double> row_values;
  std::vector<State> x(block.shape.size());
  for (auto [index, value] : block.entries) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<State>(index % block.shape[i]);
      index /= block.shape[i];
    }
    if (dense) {
      std::size_t place = 0;
      for (std::size_t i = 0; i < x.size(); ++i) place = place * block.shape[i] + x[i];
      values[place] = value;
    } else {
      rows.insert(rows.end(), x.begin(), x.end());
      row_values.push_back(value);
    }
  }
  if (block.shape.empty()) return builder_.constant(values[0]);
  std::vector<VariableId> scope;
  for (std::uint64_t label : block.labels) scope.push_back(variables_[label].id);
  if (scope.size() == 1) return builder_.unary(scope[0], values);
  const PotentialId potential =
      dense ? tables_.add(builder_, block.shape, std::move(values), budget_)
            : builder_.potential(
                  Sparse(block.shape, kForbidden, std::move(rows), std::move(row_values)));
  builder_.factor(std::span<const VariableId>(scope), potential);
}

}  // namespace

FactorGraph read_fg(std::istream& in, const std::string& file, const ReadLimits& limits) {
  return FgReader(in, file, limits).read();
}

}  // namespace fgnn
