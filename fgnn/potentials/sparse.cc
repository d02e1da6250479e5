#include "fgnn/potentials/sparse.h"

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

Sparse::Sparse(std::vector<State> shape, double otherwise, std::vector<State> rows,
               std::vector<double> log_values)
    : shape_(std::move(shape)), otherwise_(otherwise) {
  const std::size_t n = shape_.size(), count = log_values.size();
  if (rows.size() != n * count) {
    throw Error(ErrorCode::model, "sparse",
                fmt::format("{} states listed for {} rows of {}", rows.size(), count, n));
  }
  check_log_values(log_values, "sparse");
  check_log_values(std::span(&otherwise_, 1), "sparse");
  const auto given = [&](std::size_t i) { return std::span<const State>(rows).subspan(i * n, n); };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (given(i)[j] >= shape_[j]) {
        throw Error(
            ErrorCode::model, "sparse",
            fmt::format("row {} has state {} where there are {}", i, given(i)[j], shape_[j]));
      }
    }
  }
  const auto less = [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(given(a), given(b));
  };
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), less);
  rows_.reserve(rows.size());
  values_.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0 && !less(order[k - 1], order[k])) {
      throw Error(
          ErrorCode::model, "sparse",
          fmt::format("the joint state {} is listed twice", fmt::join(given(order[k]), " ")));
    }
    rows_.insert(rows_.end(), given(order[k]).begin(), given(order[k]).end());
    values_.push_back(log_values[order[k]]);
  }
}

std::string Sparse::misfit(Shape shape) const { return misfit_of_shape(shape_, shape); }

double Sparse::score(std::span<const State> x) const {
  std::size_t low = 0, high = size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto order = std::lexicographical_compare_three_way(
        row(middle).begin(), row(middle).end(), x.begin(), x.end());
    if (order == 0) return values_[middle];
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return otherwise_;
}

void Sparse::fill(Shape shape, std::span<double> out) const {
  std::fill(out.begin(), out.end(), otherwise_);
  for (std::size_t i = 0; i < size(); ++i) {
    std::size_t index = 0;
    for (std::size_t j = 0; j < shape.size(); ++j) index = index * shape[j] + row(i)[j];
    out[index] = values_[i];
  }
}

std::shared_ptr<const LowRank> Sparse::low_rank(Shape shape) const {
  const ScoreRange values = range(shape);
  if (values.high - values.low > kWidestTerms) return nullptr;
  if (otherwise_ - values.low > kWidestSignedTerms) return nullptr;
  double scale = otherwise_;
  for (double value : values_) scale = std::max(scale, value);
  if (scale == kForbidden) scale = 0;
  const double base = std::exp(otherwise_ - scale);
  std::vector<double> lambda;
  std::vector<std::vector<double>> terms;
  const auto width = std::accumulate(shape_.begin(), shape_.end(), std::size_t{0});
  if (otherwise_ != kForbidden) {
    lambda.push_back(base);
    terms.emplace_back(width, 1.0);
  }
  for (std::size_t i = 0; i < size(); ++i) {
    std::vector<double> indicator(width, 0.0);
    std::size_t offset = 0;
    for (std::size_t j = 0; j < shape_.size(); offset += shape_[j++]) {
      indicator[offset + row(i)[j]] = 1;
    }
    lambda.push_back(std::exp(values_[i] - scale) - base);
    terms.push_back(std::move(indicator));
  }
  return LowRank::from_terms(shape_, std::move(lambda), terms, scale);
}

ScoreRange Sparse::range(Shape shape) const {
  ScoreRange range;
  if (size() < configurations(shape)) range.include(otherwise_);
  for (double value : values_) range.include(value);
  return range;
}

bool Sparse::equals(const Potential& other) const {
  const auto* sparse = dynamic_cast<const Sparse*>(&other);
  return sparse && sparse->shape_ == shape_ && sparse->otherwise_ == otherwise_ &&
         sparse->rows_ == rows_ && sparse->values_ == values_;
}

std::size_t Sparse::bytes() const {
  return sizeof(*this) + (shape_.size() + rows_.size()) * sizeof(State) +
         values_.size() * sizeof(double);
}

bool Sparse::write(TextWriter& text) const {
  text.put("sparse ", otherwise_, ' ', size());
  for (std::size_t i = 0; i < size(); ++i) {
    text.put("\n ");
    for (State x : row(i)) text.put(' ', x);
    text.put("  ", values_[i]);
  }
  return true;
}

PotentialKind Sparse::text() {
  const auto read = [](PotentialText& text) {
    const double otherwise = text.log_value();
    const std::uint64_t count = text.tokens.integer("a number of rows", 0, UINT64_MAX);
    std::vector<State> rows;
    std::vector<double> values;
    for (std::uint64_t i = 0; i < count; ++i) {
      text.budget.hold(1, sizeof(double) + text.scope->size() * sizeof(State));
      for (State states : *text.scope) {
        rows.push_back(text.tokens.integer32("a state", 0, states - 1));
      }
      values.push_back(text.log_value());
    }
    return shared(Sparse(text.shape(), otherwise, std::move(rows), std::move(values)));
  };
  return {"sparse",
          "an entry per listed state, one default for all others",
          "n per row",
          {{"sparse", true, read}}};
}

}  // namespace fgnn
