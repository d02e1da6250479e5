#include "fgnn/experiments/matching/scores.h"

#include <algorithm>
#include <cmath>

#include "fgnn/core/budget.h"
#include "fgnn/core/error.h"
#include "fgnn/potentials/hungarian.h"

namespace fgnn::matching {
namespace {

double log_sum_exp(std::size_t count, double also, auto at) {
  double top = also;
  for (std::size_t k = 0; k < count; ++k) top = std::max(top, at(k));
  if (top == -kInfinity) return top;
  double sum = also == -kInfinity ? 0 : std::exp(also - top);
  for (std::size_t k = 0; k < count; ++k) sum += std::exp(at(k) - top);
  return top + std::log(sum);
}

// The column of every row, or kNobody, so that the sum of weights is largest. Row i may stay alone
// for alone[i]; where `alone` is empty none may, and there are no more rows than columns.
std::vector<std::int32_t> assigned(std::size_t rows, std::size_t columns, auto weight,
                                   std::span<const double> alone) {
  AssignmentProblem problem(rows, columns + alone.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) problem.set(i, j, weight(i, j));
    if (!alone.empty()) problem.set(i, columns + i, alone[i]);
  }
  const Deadline never;
  TimeCheck time(never);
  if (!problem.solve(time)) {
    throw Error(ErrorCode::model, "scores", "leave no matching: some are not numbers");
  }
  std::vector<std::int32_t> partner;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto j = problem.column_of(i);
    partner.push_back(j < columns ? static_cast<std::int32_t>(j) : kNobody);
  }
  return partner;
}

}  // namespace

Scores scores_of(std::span<const double> rows, std::size_t width, std::size_t first, bool nobody) {
  Scores s;
  s.first = first;
  s.second = rows.size() / width - first;
  const std::size_t used = width - nobody;
  for (std::size_t i = 0; i < s.first; ++i) {
    const double* y = rows.data() + i * width;
    for (std::size_t j = 0; j < s.second; ++j) {
      const double* z = rows.data() + (first + j) * width;
      double sum = 0;
      for (std::size_t k = 0; k < used; ++k) sum += y[k] * z[k];
      s.match.push_back(sum);
    }
  }
  for (std::size_t r = 0; nobody && r < s.first + s.second; ++r) {
    const double* y = rows.data() + r * width;
    double squares = 0;
    for (std::size_t k = 0; k < width; ++k) squares += y[k] * y[k];
    (r < first ? s.first_nobody : s.second_nobody).push_back(std::sqrt(squares) * y[used]);
  }
  return s;
}

LogShares log_shares(const Scores& s) {
  LogShares shares{s.match, s.match, s.first_nobody, s.second_nobody};
  const bool nobody = !s.first_nobody.empty();
  for (std::size_t i = 0; i < s.first; ++i) {
    const double all = log_sum_exp(s.second, nobody ? s.first_nobody[i] : -kInfinity,
                                   [&](std::size_t j) { return s(i, j); });
    for (std::size_t j = 0; j < s.second; ++j) shares.row[i * s.second + j] -= all;
    if (nobody) shares.row_nobody[i] -= all;
  }
  for (std::size_t j = 0; j < s.second; ++j) {
    const double all = log_sum_exp(s.first, nobody ? s.second_nobody[j] : -kInfinity,
                                   [&](std::size_t i) { return s(i, j); });
    for (std::size_t i = 0; i < s.first; ++i) shares.column[i * s.second + j] -= all;
    if (nobody) shares.column_nobody[j] -= all;
  }
  return shares;
}

Matching best_matching(const Scores& s, bool plain) {
  const LogShares shares = log_shares(s);
  const bool nobody = !s.first_nobody.empty();
  const auto weight = [&](std::size_t i, std::size_t j) {
    if (plain) return s(i, j);
    // A column that is matched is not alone: that is what it gives up.
    const double given_up = nobody ? shares.column_nobody[j] : 0;
    return shares.row[i * s.second + j] + shares.column[i * s.second + j] - given_up;
  };
  Matching m;
  if (nobody || s.first <= s.second) {
    m.partner = assigned(s.first, s.second, weight, nobody ? shares.row_nobody : s.first_nobody);
  } else {
    m.partner.assign(s.first, kNobody);
    const auto turned =
        assigned(s.second, s.first, [&](std::size_t j, std::size_t i) { return weight(i, j); }, {});
    for (std::size_t j = 0; j < s.second; ++j) {
      m.partner[turned[j]] = static_cast<std::int32_t>(j);
    }
  }
  for (std::size_t i = 0; i < s.first; ++i) {
    const auto j = static_cast<std::size_t>(m.partner[i]);
    const std::size_t at = i * s.second + j;
    const double log_share = m.partner[i] != kNobody ? (shares.row[at] + shares.column[at]) / 2
                             : nobody                ? shares.row_nobody[i]
                                                     : -kInfinity;
    m.probability.push_back(std::exp(log_share));
  }
  return m;
}

}  // namespace fgnn::matching
