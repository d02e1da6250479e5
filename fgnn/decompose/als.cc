#include "fgnn/decompose/als.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace fgnn {
namespace {

using Matrix = Eigen::MatrixXd;
using View = Eigen::Map<Matrix>;  // states x R

constexpr double kFirstPull = 0.1, kPullDecay = 0.8, kLastPull = 1e-13;
constexpr std::size_t kPatience = 25;    // iterations over which progress is judged
constexpr double kLeastProgress = 1e-4;  // relative decrease of the error over these
constexpr int kHalsPasses = 4;

class Als {
 public:
  Als(const Tensor& tensor, Columns columns, bool non_negative)
      : tensor_(tensor), columns_(std::move(columns)), non_negative_(non_negative) {
    for (std::size_t j = 0; j < columns_.size(); ++j) grams_.push_back(gram(j));
    balance();
    error_ = error_of(columns_);
  }

  double error() const { return error_; }
  Columns& columns() { return columns_; }

  void sweep(double pull) {
    previous_ = columns_;
    for (std::size_t j = 0; j < columns_.size(); ++j) update(j, pull);
    balance();
    error_ = error_of(columns_);
  }

  // Goes on in the direction of the last sweep if that is better still.
  void extrapolate(double step) {
    Columns further = columns_;
    for (std::size_t j = 0; j < further.size(); ++j) {
      for (std::size_t i = 0; i < further[j].size(); ++i) {
        further[j][i] += step * (columns_[j][i] - previous_[j][i]);
        if (non_negative_) further[j][i] = std::max(further[j][i], 0.0);
      }
    }
    const double error = error_of(further);
    if (!(error < error_)) return;
    error_ = error;
    columns_ = std::move(further);
    for (std::size_t j = 0; j < columns_.size(); ++j) grams_[j] = gram(j);
  }

 private:
  View view(std::size_t j) {
    const auto states = static_cast<Eigen::Index>(tensor_.shape[j]);
    return {columns_[j].data(), states, static_cast<Eigen::Index>(columns_[j].size()) / states};
  }
  Matrix gram(std::size_t j) { return view(j).transpose() * view(j); }

  double error_of(const Columns& columns) const {
    const auto sum = sum_of_terms(tensor_.shape, columns);
    double squares = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      squares += (sum[i] - tensor_.values[i]) * (sum[i] - tensor_.values[i]);
    }
    return std::sqrt(squares) / tensor_.norm;
  }

  void update(std::size_t j, double pull) {
    View w = view(j);
    Matrix normal = Matrix::Ones(w.cols(), w.cols());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i != j) normal.array() *= grams_[i].array();
    }
    std::vector<double> target(columns_[j].size());
    contract_others(tensor_, columns_, j, target);
    Matrix right = View(target.data(), w.rows(), w.cols());
    const double ridge = pull * normal.trace() / static_cast<double>(w.cols());
    if (!(ridge > 0)) return;  // all other vectors are zero: nothing to fit
    normal.diagonal().array() += ridge;
    right += ridge * w;
    if (non_negative_) {
      solve_non_negative(normal, right, w);
    } else {
      w = normal.ldlt().solve(right.transpose()).transpose();
    }
    grams_[j] = gram(j);
  }

  // Hierarchical ALS: one column at a time, cut off at zero (Cichocki and Phan 2009).
  static void solve_non_negative(const Matrix& normal, const Matrix& right, View& w) {
    for (int pass = 0; pass < kHalsPasses; ++pass) {
      for (Eigen::Index r = 0; r < w.cols(); ++r) {
        const Eigen::VectorXd gradient = right.col(r) - w * normal.col(r);
        w.col(r) = (w.col(r) + gradient / normal(r, r)).cwiseMax(0.0);
      }
    }
  }

  // Gives the vectors of a term the same length, so that one pull fits all.
  void balance() {
    const Eigen::Index rank = grams_[0].cols();
    const double n = static_cast<double>(columns_.size());
    for (Eigen::Index r = 0; r < rank; ++r) {
      double log_length = 0;
      for (const Matrix& g : grams_) log_length += 0.5 * std::log(g(r, r));
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        const double length = std::sqrt(grams_[j](r, r));
        if (std::isfinite(log_length)) {
          view(j).col(r) *= std::exp(log_length / n) / length;
        } else {
          view(j).col(r).setZero();
        }
      }
    }
    for (std::size_t j = 0; j < columns_.size(); ++j) grams_[j] = gram(j);
  }

  const Tensor& tensor_;
  Columns columns_, previous_;
  bool non_negative_;
  std::vector<Matrix> grams_;
  double error_;
};

}  // namespace

CpRun alternating_least_squares(const Tensor& tensor, Columns columns, const CpOptions& options) {
  Als als(tensor, std::move(columns), options.non_negative);
  CpRun run;
  double pull = kFirstPull, checkpoint = kInfinity;
  while (!run.converged && run.iterations < options.max_iterations) {
    ++run.iterations;
    als.sweep(pull);
    als.extrapolate(std::cbrt(static_cast<double>(run.iterations)));
    pull = std::max(pull * kPullDecay, kLastPull);
    run.converged = als.error() <= options.tolerance;
    if (run.iterations % kPatience == 0) {
      if (pull == kLastPull && als.error() > (1 - kLeastProgress) * checkpoint) {
        run.converged = true;
      }
      checkpoint = als.error();
    }
  }
  run.error = als.error();
  run.columns = std::move(als.columns());
  return run;
}

}  // namespace fgnn
