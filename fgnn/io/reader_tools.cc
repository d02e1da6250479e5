#include "fgnn/io/reader_tools.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace fgnn {
namespace {

constexpr const char* kLimitHint = "the limits of a file are in docs/formats.md";

// One multiplication and one rotation per value: a poor hash of single bits, a good one of tables.
std::uint64_t hash_of(std::span<const State> shape, std::span<const double> values) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
  std::uint64_t hash = shape.size();
  for (State states : shape) hash = (std::rotl(hash, 23) ^ states) * kOdd;
  for (double value : values)
    hash = (std::rotl(hash, 23) ^ std::bit_cast<std::uint64_t>(value)) * kOdd;
  return hash;
}

}  // namespace

void ReadBudget::declare(std::uint64_t variables, std::uint64_t states) {
  if (variables > limits_.variables - variables_) {
    reader_.refuse(ErrorCode::too_large, reader_.place(),
                   fmt::format("more than {} variables in all", limits_.variables), kLimitHint);
  }
  if (states != 0 && variables > (limits_.states - states_) / states) {
    reader_.refuse(ErrorCode::too_large, reader_.place(),
                   fmt::format("more than {} states in all", limits_.states), kLimitHint);
  }
  variables_ += variables;
  states_ += variables * states;
}

void ReadBudget::imply(std::uint64_t entries) {
  const std::uint64_t most = limits_.implied + limits_.implied_per_byte * reader_.bytes_read();
  if (entries > most - implied_) {
    reader_.refuse(ErrorCode::too_large, reader_.place(),
                   "the file stands for far more than it lists", kLimitHint);
  }
  implied_ += entries;
}

PotentialId TablePool::add(GraphBuilder& builder, std::vector<State> shape,
                           std::vector<double> log_values) {
  const std::uint64_t hash = hash_of(shape, log_values);
  const auto table = std::make_shared<const Table>(std::move(shape), std::move(log_values));
  const auto known = tables_.find(hash);
  if (known != tables_.end() && known->second.table->equals(*table)) return known->second.id;
  const PotentialId id = builder.potential(table);
  if (known == tables_.end()) tables_.emplace(hash, Entry{table, id});
  return id;
}

double read_linear(TokenReader& reader, std::string_view what) {
  const double value = reader.number(what);
  if (value < 0) {
    reader.fail(fmt::format("{} is negative", value),
                "values are potentials or probabilities, not logarithms");
  }
  return value == 0 ? kForbidden : std::log(value);
}

}  // namespace fgnn
