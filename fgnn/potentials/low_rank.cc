#include "fgnn/potentials/low_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/log_math.h"
#include "fgnn/potentials/checks.h"
#include "fgnn/potentials/star.h"
#include "fgnn/potentials/text.h"

namespace fgnn {
namespace {

void check_finite(double value, const char* what) {
  if (!std::isfinite(value)) {
    throw Error(ErrorCode::model, "low-rank", fmt::format("{} is {}", what, value),
                "weights are finite numbers in the linear domain");
  }
}

// A product that neither overflows nor vanishes: mantissa * 2^exponent.
struct Product {
  double mantissa = 1;
  long exponent = 0;

  void times(double factor) {
    mantissa *= factor;
    const double size = std::fabs(mantissa);
    if (size > 1e100 || size < 1e-100) {
      int shift = 0;
      mantissa = std::frexp(mantissa, &shift);
      exponent += shift;
    }
  }
};

}  // namespace

LowRank::LowRank(std::vector<State> shape, std::vector<double> lambda,
                 std::vector<std::vector<double>> weights, double log_scale)
    : shape_(std::move(shape)),
      lambda_(std::move(lambda)),
      weights_(std::move(weights)),
      log_scale_(log_scale) {
  if (weights_.size() != shape_.size()) {
    throw Error(ErrorCode::model, "low-rank",
                fmt::format("{} weight matrices for {} variables", weights_.size(), shape_.size()));
  }
  for (std::size_t j = 0; j < shape_.size(); ++j) {
    if (weights_[j].size() != shape_[j] * rank()) {
      throw Error(ErrorCode::model, "low-rank",
                  fmt::format("weights of variable {} are {} numbers, {} states x rank {} needed",
                              j, weights_[j].size(), shape_[j], rank()));
    }
    for (double w : weights_[j]) check_finite(w, "a weight");
  }
  for (double l : lambda_) check_finite(l, "a lambda");
  check_finite(log_scale_, "the scale");
}

std::shared_ptr<const LowRank> LowRank::from_terms(std::vector<State> shape,
                                                   std::vector<double> lambda,
                                                   const std::vector<std::vector<double>>& terms,
                                                   double log_scale) {
  const std::size_t rank = lambda.size();
  std::vector<std::vector<double>> weights;
  std::size_t offset = 0;
  for (State states : shape) {
    auto& matrix = weights.emplace_back(states * rank);
    for (State x = 0; x < states; ++x) {
      for (std::size_t r = 0; r < rank; ++r) matrix[x * rank + r] = terms[r][offset + x];
    }
    offset += states;
  }
  return std::make_shared<const LowRank>(std::move(shape), std::move(lambda), std::move(weights),
                                         log_scale);
}

std::string LowRank::misfit(Shape shape) const { return misfit_of_shape(shape_, shape); }

double LowRank::score(std::span<const State> x) const {
  std::vector<Product> products(rank());
  long high = std::numeric_limits<long>::min();
  for (std::size_t r = 0; r < rank(); ++r) {
    products[r].times(lambda_[r]);
    for (std::size_t j = 0; j < x.size() && products[r].mantissa != 0; ++j) {
      products[r].times(weight(j, x[j], r));
    }
    if (products[r].mantissa != 0) high = std::max(high, products[r].exponent);
  }
  double sum = 0, magnitude = 0;
  for (const Product& p : products) {
    if (p.mantissa == 0) continue;
    const int shift = static_cast<int>(std::max(p.exponent - high, -5000L));
    const double term = std::ldexp(p.mantissa, shift);
    sum += term;
    magnitude += std::fabs(term);
  }
  // Rounding leaves about one unit per factor and per term; below that, nothing is left of the sum.
  const double rounding = static_cast<double>(2 * x.size() + rank()) *
                          std::numeric_limits<double>::epsilon() * magnitude;
  if (sum <= rounding) {
    if (sum < -1e6 * rounding) {
      throw Error(ErrorCode::model, "low-rank",
                  fmt::format("the potential of state {} is negative", fmt::join(x, " ")),
                  "the weighted terms must add up to zero or more for every joint state");
    }
    return kForbidden;
  }
  return log_scale_ + std::log(sum) + static_cast<double>(high) * std::numbers::ln2;
}

std::shared_ptr<const LowRank> LowRank::low_rank(Shape) const {
  return std::make_shared<const LowRank>(*this);
}

// From above by the sum of the largest terms. From below a sum without signs is at least its
// smallest positive term; signed terms may cancel to anything.
ScoreRange LowRank::range(Shape) const {
  double low = kInfinity, high = kForbidden;
  for (std::size_t r = 0; r < rank(); ++r) {
    if (lambda_[r] == 0) continue;
    double least = std::log(std::fabs(lambda_[r])), most = least;
    for (std::size_t j = 0; j < shape_.size(); ++j) {
      ScoreRange own;
      for (State x = 0; x < shape_[j]; ++x) {
        const double size = std::fabs(weight(j, x, r));
        if (size > 0) own.include(std::log(size));
      }
      least += own.low;
      most += own.high;
    }
    if (most == kForbidden) continue;  // a variable without any weight: the term is zero
    low = std::min(low, least);
    high = log_add(high, most);
  }
  if (high == kForbidden) return {};
  return {non_negative() ? low + log_scale_ : kForbidden, high + log_scale_};
}

bool LowRank::equals(const Potential& other) const {
  const auto* low_rank = dynamic_cast<const LowRank*>(&other);
  return low_rank && low_rank->shape_ == shape_ && low_rank->lambda_ == lambda_ &&
         low_rank->weights_ == weights_ && low_rank->log_scale_ == log_scale_;
}

std::size_t LowRank::bytes() const {
  std::size_t total = sizeof(*this) + shape_.size() * (sizeof(State) + sizeof(weights_[0])) +
                      rank() * sizeof(double);
  for (const auto& matrix : weights_) total += matrix.size() * sizeof(double);
  return total;
}

bool LowRank::non_negative() const {
  const auto fine = [](double w) { return w >= 0; };
  return std::ranges::all_of(lambda_, fine) &&
         std::ranges::all_of(weights_, [&](const auto& m) { return std::ranges::all_of(m, fine); });
}

std::unique_ptr<Machine> LowRank::machine(Shape shape, Reduction reduction) const {
  if (reduction != Reduction::sum || rank() == 0 || !non_negative()) return nullptr;
  return std::make_unique<Star>(shape, rank(), [this] {
    std::vector<double> numbers;
    for (double lambda : lambda_) numbers.push_back(log_scale_ + std::log(lambda));
    for (const auto& matrix : weights_) {
      for (double w : matrix) numbers.push_back(std::log(w));
    }
    return numbers;
  });
}

bool LowRank::write(TextWriter& text) const {
  text.put("low-rank ", rank());
  if (log_scale_ != 0) text.put(" scale ", log_scale_);
  for (std::size_t r = 0; r < rank(); ++r) {
    text.put("\n  ", lambda_[r]);
    for (std::size_t j = 0; j < shape_.size(); ++j) {
      text.put(' ');
      for (State x = 0; x < shape_[j]; ++x) text.put(' ', weight(j, x, r));
    }
  }
  return true;
}

PotentialKind LowRank::text() {
  const auto read = [](PotentialText& text) -> std::shared_ptr<const Potential> {
    const std::uint64_t rank = text.tokens.integer("a number of terms", 0, UINT64_MAX);
    const double scale = text.tokens.take_if("scale") ? text.tokens.number("a number") : 0.0;
    const std::uint64_t width = text.width();
    std::vector<double> lambda;
    std::vector<std::vector<double>> terms;
    for (std::uint64_t r = 0; r < rank; ++r) {
      text.budget.hold(1, 2 * sizeof(double) * (width + 2));  // by term and by variable
      lambda.push_back(text.tokens.number("a number"));
      auto& term = terms.emplace_back();
      for (std::uint64_t i = width; i > 0; --i) term.push_back(text.tokens.number("a number"));
    }
    return from_terms(text.shape(), std::move(lambda), terms, scale);
  };
  return {"low-rank",
          "log of a sum of R products of one weight per variable",
          "n d R",
          {{"low-rank", true, read}}};
}

}  // namespace fgnn
