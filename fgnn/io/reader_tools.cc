#include "fgnn/io/reader_tools.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace fgnn {
namespace {

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
