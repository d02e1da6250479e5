#include "fgnn/core/read_budget.h"

#include <fmt/format.h>

namespace fgnn {
namespace {

constexpr const char* kLimitHint = "the limits of a file are in docs/formats.md";

// Bytes of the finished graph and of what reading it needs beside (graph_builder.h): marks of what
// was seen, the scope and shape at hand, room of arrays that grow.
constexpr std::uint64_t kPerVariable = 12 + 8, kPerState = 8, kPerFactor = 24, kPerEdge = 12 + 8;

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

}  // namespace fgnn
