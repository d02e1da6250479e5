#include "fgnn/decompose/cp.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/decompose/als.h"
#include "fgnn/decompose/gauss_newton.h"
#include "fgnn/decompose/tensor.h"

namespace fgnn {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kWarmUp = 30;

// Terms of Table::low_rank: joint states of all but the largest variable with anything allowed.
std::size_t rows_in_use(const Table& table) {
  const auto& shape = table.shape();
  const auto free = std::max_element(shape.begin(), shape.end());
  std::size_t stride = 1;
  for (auto it = free + 1; it != shape.end(); ++it) stride *= *it;
  std::vector<char> alive(table.values().size() / *free, 0);
  for (std::size_t i = 0; i < table.values().size(); ++i) {
    if (table.values()[i] != kForbidden) alive[i / (stride * *free) * stride + i % stride] = 1;
  }
  return static_cast<std::size_t>(std::count(alive.begin(), alive.end(), 1));
}

// Positions of the variables with a choice.
std::vector<std::size_t> wide_modes(const std::vector<State>& shape) {
  std::vector<std::size_t> modes;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    if (shape[j] > 1) modes.push_back(j);
  }
  return modes;
}

// The largest singular values and their vectors; variables with one state do not matter.
Columns truncated_svd(const Tensor& tensor, std::size_t a, std::size_t b, std::size_t rank) {
  const Eigen::Map<const RowMajor> matrix(tensor.values.data(), tensor.shape[a], tensor.shape[b]);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const auto terms = std::min(static_cast<Eigen::Index>(rank), svd.singularValues().size());
  const Eigen::MatrixXd left =
      svd.matrixU().leftCols(terms) * svd.singularValues().head(terms).asDiagonal();
  const Eigen::MatrixXd right = svd.matrixV().leftCols(terms);
  Columns columns(tensor.shape.size(), std::vector<double>(static_cast<std::size_t>(terms), 1.0));
  columns[a].assign(left.data(), left.data() + left.size());
  columns[b].assign(right.data(), right.data() + right.size());
  return columns;
}

Columns random_start(const Tensor& tensor, std::size_t rank, bool non_negative, Rng& rng) {
  Columns columns;
  for (State states : tensor.shape) {
    auto& column = columns.emplace_back(states * rank);
    for (double& w : column) w = non_negative ? rng.uniform() : rng.normal();
  }
  return columns;
}

// Overwrites as many terms as there are states with the leading singular vectors of each unfolding
// (the higher-order SVD), which is often close to the answer and costs O(entries * states).
void apply_hosvd(const Tensor& tensor, bool non_negative, Columns& columns) {
  std::size_t stride = tensor.values.size();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const State states = tensor.shape[j];
    stride /= states;
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(states, states);
    for (std::size_t block = 0; block < tensor.values.size(); block += stride * states) {
      const Eigen::Map<const RowMajor> slice(tensor.values.data() + block, states,
                                             static_cast<Eigen::Index>(stride));
      gram += slice * slice.transpose();
    }
    const Eigen::MatrixXd vectors =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvectors();
    const std::size_t terms = std::min<std::size_t>(states, columns[j].size() / states);
    for (std::size_t i = 0; i < terms * states; ++i) {
      const auto column = static_cast<Eigen::Index>(states - 1 - i / states);  // ascending there
      const double w = vectors(static_cast<Eigen::Index>(i % states), column);
      columns[j][i] = non_negative ? std::fabs(w) : w;
    }
  }
}

// Unit vectors weighed by lambda, largest first; terms that are zero are left out.
std::shared_ptr<const LowRank> normalised(const Tensor& tensor, const Columns& columns) {
  const auto& shape = tensor.shape;
  const std::size_t rank = columns[0].size() / shape[0];
  std::vector<std::pair<double, std::vector<double>>> terms;
  for (std::size_t r = 0; r < rank; ++r) {
    double lambda = 1;
    std::vector<double> term;
    for (std::size_t j = 0; j < shape.size(); ++j) {
      Eigen::Map<const Eigen::VectorXd> w(columns[j].data() + r * shape[j], shape[j]);
      const double length = w.norm();
      lambda *= length;
      for (double value : w) term.push_back(length > 0 ? value / length : 0.0);
    }
    if (lambda > 0) terms.emplace_back(lambda, std::move(term));
  }
  std::stable_sort(terms.begin(), terms.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<double> lambda;
  std::vector<std::vector<double>> weights;
  for (auto& [length, term] : terms) {
    lambda.push_back(length);
    weights.push_back(std::move(term));
  }
  return LowRank::from_terms(shape, std::move(lambda), weights, tensor.log_scale);
}

Columns columns_of(const LowRank& potential) {
  Columns columns;
  for (std::size_t j = 0; j < potential.shape().size(); ++j) {
    auto& column = columns.emplace_back();
    for (std::size_t r = 0; r < potential.rank(); ++r) {
      for (State x = 0; x < potential.shape()[j]; ++x) {
        column.push_back((j == 0 ? potential.lambda()[r] : 1.0) * potential.weight(j, x, r));
      }
    }
  }
  return columns;
}

void measure(const Tensor& tensor, CpResult& result) {
  const auto sum = sum_of_terms(tensor.shape, columns_of(*result.potential));
  double squares = 0;
  result.min_value = kInfinity;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double error = std::fabs(sum[i] - tensor.values[i]);
    squares += error * error;
    result.max_error = std::max(result.max_error, error);
    result.min_value = std::min(result.min_value, sum[i]);
  }
  if (tensor.norm > 0) result.relative_error = std::sqrt(squares) / tensor.norm;
}

// Small problems warm up by alternating and finish by Gauss-Newton; large ones only alternate.
CpRun one_start(const Tensor& tensor, std::size_t rank, Columns start, const CpOptions& options) {
  const auto states = std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{0});
  if (rank * states > kMaxGaussNewton) {
    return alternating_least_squares(tensor, std::move(start), options);
  }
  CpOptions warm_up = options;
  warm_up.max_iterations = std::min(options.max_iterations, kWarmUp);
  CpRun run = alternating_least_squares(tensor, std::move(start), warm_up);
  gauss_newton(tensor, options, run);
  return run;
}

// The best of several runs; the first from the higher-order SVD, the others from random vectors.
CpResult best_of_starts(const Tensor& tensor, std::size_t rank, const CpOptions& options) {
  CpResult result;
  CpRun best;
  while (result.starts < options.starts && best.error > options.tolerance) {
    Rng rng(options.seed, result.starts);
    Columns start = random_start(tensor, rank, options.non_negative, rng);
    if (result.starts == 0) apply_hosvd(tensor, options.non_negative, start);
    CpRun run = one_start(tensor, rank, std::move(start), options);
    ++result.starts;
    result.iterations += run.iterations;
    if (run.error < best.error) best = std::move(run);
  }
  result.converged = best.converged;
  result.potential = normalised(tensor, best.columns);
  return result;
}

}  // namespace

void CpOptions::validate() const {
  if (!(tolerance >= 0)) throw Error(ErrorCode::usage, "tolerance", "must be zero or more");
  if (max_iterations == 0) throw Error(ErrorCode::usage, "max_iterations", "must be at least 1");
  if (starts == 0) throw Error(ErrorCode::usage, "starts", "must be at least 1");
}

CpResult decompose_cp(const Table& table, std::size_t rank, const CpOptions& options) {
  options.validate();
  if (rank == 0) throw Error(ErrorCode::usage, "rank", "must be at least 1");
  const Tensor tensor = linear_tensor(table);
  CpResult result;
  if (table.shape().empty()) {
    const std::vector<double> lambda(tensor.norm > 0 ? 1 : 0, 1.0);
    result.potential = std::make_shared<const LowRank>(
        table.shape(), lambda, std::vector<std::vector<double>>{}, tensor.log_scale);
    result.min_value = tensor.values[0];
    return result;
  }
  const auto wide = wide_modes(table.shape());
  if (rows_in_use(table) <= rank) {
    result.potential = table.low_rank(table.shape());
  } else if (wide.size() == 2 && !options.non_negative) {
    result.potential = normalised(tensor, truncated_svd(tensor, wide[0], wide[1], rank));
  } else {
    result = best_of_starts(tensor, rank, options);
  }
  measure(tensor, result);
  return result;
}

CpResult smallest_rank(const Table& table, double tolerance, std::size_t max_rank,
                       CpOptions options) {
  if (!(tolerance >= 0)) throw Error(ErrorCode::usage, "tolerance", "must be zero or more");
  options.tolerance = std::min(options.tolerance, tolerance);
  CpResult best;
  for (std::size_t rank = 1; rank <= std::max<std::size_t>(max_rank, 1); ++rank) {
    CpResult result = decompose_cp(table, rank, options);
    if (!best.potential || result.relative_error < best.relative_error) best = std::move(result);
    if (best.relative_error <= tolerance) break;
  }
  return best;
}

std::shared_ptr<const LowRank> lift(const LowRank& potential, double amount) {
  std::vector<double> lambda = potential.lambda();
  lambda.push_back(amount);
  std::vector<std::vector<double>> weights;
  for (std::size_t j = 0; j < potential.shape().size(); ++j) {
    auto& matrix = weights.emplace_back();
    for (State x = 0; x < potential.shape()[j]; ++x) {
      for (std::size_t r = 0; r < potential.rank(); ++r) {
        matrix.push_back(potential.weight(j, x, r));
      }
      matrix.push_back(1.0);
    }
  }
  return std::make_shared<const LowRank>(potential.shape(), std::move(lambda), std::move(weights),
                                         potential.log_scale());
}

}  // namespace fgnn
