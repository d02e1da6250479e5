#include "fgnn/potentials/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/potentials/checks.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/text.h"

namespace fgnn {
namespace {

// Weights of a sum of rank-1 terms up to which it is worth having beside the table.
constexpr std::size_t kMostTermNumbers = std::size_t{1} << 23;

}  // namespace

Table::Table(std::vector<State> shape, std::vector<double> log_values)
    : shape_(std::move(shape)), values_(std::move(log_values)) {
  if (configurations(shape_) != values_.size()) {
    throw Error(ErrorCode::model, "table",
                fmt::format("{} values for a shape of {}", values_.size(), shape_text(shape_)));
  }
  check_log_values(values_, "table");
}

std::string Table::misfit(Shape shape) const { return misfit_of_shape(shape_, shape); }

std::size_t Table::index(std::span<const State> x) const {
  std::size_t index = 0;
  for (std::size_t i = 0; i < shape_.size(); ++i) index = index * shape_[i] + x[i];
  return index;
}

void Table::fill(Shape, std::span<double> out) const {
  std::copy(values_.begin(), values_.end(), out.begin());
}

std::shared_ptr<const LowRank> Table::low_rank(Shape shape) const {
  const std::size_t n = shape_.size();
  const ScoreRange values = range(shape);
  if (n == 0 || values.high - values.low > kWidestTerms) return nullptr;
  const auto free =
      static_cast<std::size_t>(std::max_element(shape_.begin(), shape_.end()) - shape_.begin());
  const std::size_t width = std::accumulate(shape_.begin(), shape_.end(), std::size_t{0});
  if (values_.size() / shape_[free] * width > kMostTermNumbers) return nullptr;
  // Every joint state of the other variables that is not wholly forbidden gives one rank-1 term:
  // indicators of the others, times the row of the free variable.
  const double scale = *std::max_element(values_.begin(), values_.end());
  std::vector<State> others = shape_;
  others[free] = 1;
  std::vector<std::vector<double>> terms;  // flat: the weights of variable 0, 1, …
  std::vector<State> x(n, 0);
  do {
    std::vector<double> term;
    bool alive = false;
    for (std::size_t i = 0; i < n; ++i) {
      for (State s = 0; s < shape_[i]; ++s) {
        if (i != free) {
          term.push_back(s == x[i] ? 1.0 : 0.0);
          continue;
        }
        x[free] = s;
        const double value = score(x);
        x[free] = 0;
        alive |= value != kForbidden;
        term.push_back(value == kForbidden ? 0.0 : std::exp(value - scale));
      }
    }
    if (alive) terms.push_back(std::move(term));
  } while (next_configuration(others, x));
  return LowRank::from_terms(shape_, std::vector<double>(terms.size(), 1.0), terms,
                             scale == kForbidden ? 0.0 : scale);
}

ScoreRange Table::range(Shape) const {
  ScoreRange range;
  for (double value : values_) range.include(value);
  return range;
}

bool Table::equals(const Potential& other) const {
  const auto* table = dynamic_cast<const Table*>(&other);
  return table && table->shape_ == shape_ && table->values_ == values_;
}

std::size_t Table::bytes() const {
  return sizeof(*this) + shape_.size() * sizeof(State) + values_.size() * sizeof(double);
}

bool Table::write(TextWriter& text) const {
  constexpr std::size_t kPerLine = 16;
  const std::size_t row = shape_.empty() ? 1 : shape_.back();
  text.put("table").list(values_, std::max(row, kPerLine / row * row));
  return true;
}

PotentialKind Table::text() {
  const auto read = [](PotentialText& text) {
    return shared(Table(text.shape(), text.log_values(configurations(*text.scope))));
  };
  return {"table", "an entry per joint state", "d^n", {{"table", true, read}}};
}

Table expand(const Potential& potential, Shape shape, std::uint64_t most) {
  if (std::string reason = potential.misfit(shape); !reason.empty()) {
    throw Error(ErrorCode::model, std::string(potential.kind()), reason);
  }
  const std::uint64_t entries = configurations(shape);
  if (entries > most) {
    throw Error(ErrorCode::too_large, std::string(potential.kind()),
                fmt::format("its table over {} variables would have more than {} entries",
                            shape.size(), most),
                "use a method or format that keeps the structure");
  }
  std::vector<double> values(entries);
  potential.fill(shape, values);
  return {std::vector<State>(shape.begin(), shape.end()), std::move(values)};
}

Table expand(const FactorGraph& graph, FactorId c, std::uint64_t most) {
  try {
    return expand(graph.potential(c), graph.shape(c), most);
  } catch (const Error& error) {
    throw Error(error.code(), graph.describe(c), error.what());
  }
}

}  // namespace fgnn
