#include "fgnn/decompose/gauss_newton.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace fgnn {
namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;
using ConstView = Eigen::Map<const Eigen::MatrixXd>;  // states x R

constexpr std::size_t kNewtonPatience = 20;   // iterations over which progress is judged
constexpr double kLeastNewtonProgress = 0.1;  // relative decrease of the error over these

class Problem {
 public:
  Problem(const Tensor& tensor, std::size_t rank, bool squares)
      : tensor_(tensor), rank_(static_cast<Index>(rank)), squares_(squares) {
    for (State states : tensor.shape) offset_.push_back(offset_.back() + states * rank_);
  }

  Vector parameters(const Columns& columns) const {
    Vector p(offset_.back());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      std::copy(columns[j].begin(), columns[j].end(), p.data() + offset_[j]);
    }
    return squares_ ? Vector(p.cwiseSqrt()) : p;
  }

  Columns columns(const Vector& parameters) const {
    const Vector w = squares_ ? Vector(parameters.cwiseAbs2()) : parameters;
    Columns columns;
    for (std::size_t j = 0; j + 1 < offset_.size(); ++j) {
      columns.emplace_back(w.data() + offset_[j], w.data() + offset_[j + 1]);
    }
    return columns;
  }

  // T minus the sum of the terms.
  Tensor residual(const Columns& columns) const {
    Tensor e{tensor_.shape, sum_of_terms(tensor_.shape, columns), 0, 0};
    for (std::size_t i = 0; i < e.values.size(); ++i) {
      e.values[i] = tensor_.values[i] - e.values[i];
      e.norm += e.values[i] * e.values[i];
    }
    e.norm = std::sqrt(e.norm);
    return e;
  }

  // J^T e and J^T J, where J is the derivative of the sum by the parameters.
  void linearise(const Vector& parameters, const Columns& columns, const Tensor& e,
                 Vector& gradient, Eigen::MatrixXd& hessian) const {
    gradient.resize(offset_.back());
    hessian.resize(offset_.back(), offset_.back());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      contract_others(e, columns, j, {gradient.data() + offset_[j], columns[j].size()});
      for (std::size_t i = 0; i <= j; ++i) fill_block(columns, i, j, hessian);
    }
    if (squares_) {  // the chain rule: dw = 2 v dv
      const Vector twice = 2 * parameters;
      gradient.array() *= twice.array();
      hessian = twice.asDiagonal() * hessian * twice.asDiagonal();
    }
  }

 private:
  ConstView view(const Columns& columns, std::size_t j) const {
    return {columns[j].data(), static_cast<Index>(tensor_.shape[j]), rank_};
  }

  // Inner products of the derivatives by w_i^r(x) and w_j^q(y):
  //   i == j: [x == y] g(r, q);   i != j: w_i^q(x) w_j^r(y) g(r, q),
  // g being the product of the Gram matrices of all other variables.
  void fill_block(const Columns& columns, std::size_t i, std::size_t j,
                  Eigen::MatrixXd& hessian) const {
    Eigen::MatrixXd g = Eigen::MatrixXd::Ones(rank_, rank_);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (k != i && k != j) {
        g.array() *= (view(columns, k).transpose() * view(columns, k)).array();
      }
    }
    const ConstView wi = view(columns, i), wj = view(columns, j);
    for (Index r = 0; r < rank_; ++r) {
      for (Index q = 0; q < rank_; ++q) {
        auto block = hessian.block(offset_[i] + r * wi.rows(), offset_[j] + q * wj.rows(),
                                   wi.rows(), wj.rows());
        if (i == j) {
          block = g(r, q) * Eigen::MatrixXd::Identity(wi.rows(), wi.rows());
        } else {
          block = g(r, q) * wi.col(q) * wj.col(r).transpose();
          hessian.block(offset_[j] + q * wj.rows(), offset_[i] + r * wi.rows(), wj.rows(),
                        wi.rows()) = block.transpose();
        }
      }
    }
  }

  const Tensor& tensor_;
  Index rank_;
  bool squares_;
  std::vector<Index> offset_{0};
};

}  // namespace

void gauss_newton(const Tensor& tensor, const CpOptions& options, CpRun& run) {
  const Problem problem(tensor, run.columns[0].size() / tensor.shape[0], options.non_negative);
  Vector p = problem.parameters(run.columns);
  Tensor e = problem.residual(run.columns);
  Vector gradient;
  Eigen::MatrixXd hessian;
  problem.linearise(p, run.columns, e, gradient, hessian);
  double damping = 1e-3 * hessian.diagonal().maxCoeff(), growth = 2, checkpoint = run.error;
  run.converged = run.error <= options.tolerance;
  for (std::size_t k = 1; !run.converged && run.iterations < options.max_iterations; ++k) {
    ++run.iterations;
    Eigen::MatrixXd damped = hessian;
    damped.diagonal().array() += damping;
    const Vector step = damped.ldlt().solve(gradient);
    const Vector next = p + step;
    Columns columns = problem.columns(next);
    Tensor next_e = problem.residual(columns);
    if (next_e.norm < e.norm) {
      // How much of the predicted decrease came true decides about the damping (Nielsen 1999).
      const double predicted = step.dot(damping * step + gradient);
      const double gain = (e.norm * e.norm - next_e.norm * next_e.norm) / predicted;
      damping *= std::max(1.0 / 3, 1 - std::pow(2 * gain - 1, 3));
      growth = 2;
      p = next;
      e = std::move(next_e);
      run.columns = std::move(columns);
      run.error = e.norm / tensor.norm;
      problem.linearise(p, run.columns, e, gradient, hessian);
    } else {
      damping *= growth;
      growth *= 2;
    }
    run.converged = run.error <= options.tolerance;
    if (k % kNewtonPatience == 0) {
      run.converged |= run.error > (1 - kLeastNewtonProgress) * checkpoint;
      checkpoint = run.error;
    }
  }
}

}  // namespace fgnn
