#include "fgnn/io/reader_tools.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace fgnn {
namespace {

constexpr const char* kLimitHint = "the limits of a file are in docs/formats.md";

// Bytes of the finished graph and of what reading it needs beside (graph_builder.h): marks of what
// was seen, the scope and shape at hand, room of arrays that grow.
constexpr std::uint64_t kPerVariable = 12 + 8, kPerState = 8, kPerFactor = 24, kPerEdge = 12 + 8;

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
  hold(variables, kPerVariable + kPerState * states);
}

void ReadBudget::hold(std::uint64_t count, std::uint64_t size) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = Budget::kNoLimit;
  try {
    memory_.take(bytes);
  } catch (const Error& error) {
    reader_.refuse(error.code(), reader_.place(), error.what());
  }
}

void ReadBudget::hold_factor(std::uint64_t arity) {
  hold(1, kPerFactor);
  hold(arity, kPerEdge);
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
                           std::vector<double> log_values, ReadBudget& budget) {
  const std::uint64_t entries = log_values.size();
  const std::uint64_t hash = hash_of(shape, log_values);
  const auto table = std::make_shared<const Table>(std::move(shape), std::move(log_values));
  const auto known = tables_.find(hash);
  if (known != tables_.end() && known->second.table->equals(*table)) {
    budget.give_back(entries, sizeof(double));
    return known->second.id;
  }
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
