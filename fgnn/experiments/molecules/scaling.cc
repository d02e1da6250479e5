#include "fgnn/experiments/molecules/scaling.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/core/suggest.h"
#include "fgnn/experiments/molecules/atom_features.h"

namespace fgnn::molecules {
namespace {

constexpr std::size_t kSecondMoment = 5;  // the target <R²>

// Which of the regressors a target has.
std::size_t regressors_of(std::size_t target, Reference reference) {
  const bool grows = target == 1 || target >= kSecondMoment;
  if (reference == Reference::none || !grows) return 1;
  return reference == Reference::moments && target == kSecondMoment ? kRegressors : 1 + kElements;
}

}  // namespace

Reference reference_of(const std::string& text) {
  if (text == "none") return Reference::none;
  if (text == "atoms") return Reference::atoms;
  if (text == "moments") return Reference::moments;
  throw Error(ErrorCode::usage, "reference", fmt::format("is '{}'", text),
              "none, atoms or moments");
}

std::string name(Reference reference) {
  return reference == Reference::none    ? "none"
         : reference == Reference::atoms ? "atoms"
                                         : "moments";
}

std::array<double, kRegressors> regressors(const MoleculeView& m) {
  std::array<double, kRegressors> x{1};
  std::array<double, 3> middle{};
  for (const Point& p : m.places) {
    for (std::size_t k = 0; k < 3; ++k) middle[k] += p[k] / static_cast<double>(m.atoms());
  }
  for (std::size_t i = 0; i < m.atoms(); ++i) {
    const int element = element_index(m.elements[i]);
    if (element < 0) continue;
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      square += (m.places[i][k] - middle[k]) * (m.places[i][k] - middle[k]);
    }
    x[1 + element] += 1;
    x[1 + kElements + element] += square;
  }
  return x;
}

Scaling::Scaling(const MoleculeSet& molecules, std::span<const std::size_t> training,
                 Reference reference) {
  if (training.size() < 2 || !molecules.has_targets()) {
    throw Error(ErrorCode::usage, "training molecules", "have no targets, or are fewer than two");
  }
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(kRegressors, kRegressors);
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(kRegressors, kTargets);
  // Numbers near 1, so that sums of squares keep their digits.
  constexpr double kUnit[] = {1, 10, 10, 10, 10, 10, 100, 100, 100, 100, 100};
  std::array<double, kTargets> shift{};
  const auto& first = molecules[training[0]].targets;
  std::copy(first.begin(), first.end(), shift.begin());
  const auto row = [&](std::size_t m) {
    const auto x = regressors(molecules[m]);
    Eigen::VectorXd scaled(kRegressors);
    for (std::size_t k = 0; k < kRegressors; ++k) scaled[k] = x[k] / kUnit[k];
    return scaled;
  };
  for (const std::size_t m : training) {
    const Eigen::VectorXd x = row(m);
    square += x * x.transpose();
    for (std::size_t t = 0; t < kTargets; ++t) {
      product.col(t) += x * (molecules[m].targets[t] - shift[t]);
    }
  }
  for (std::size_t t = 0; t < kTargets; ++t) {
    const auto n = static_cast<Eigen::Index>(regressors_of(t, reference));
    // A ridge of nothing: an element may be absent from the training molecules.
    Eigen::MatrixXd a = square.topLeftCorner(n, n);
    a.diagonal().array() += 1e-9 * static_cast<double>(training.size());
    const Eigen::VectorXd b = a.ldlt().solve(product.col(t).head(n));
    for (Eigen::Index k = 0; k < n; ++k) linear_[t][k] = b[k] / kUnit[k];
    linear_[t][0] += shift[t];
    double sum = 0;
    for (const std::size_t m : training) {
      const double rest = molecules[m].targets[t] - this->reference(t, regressors(molecules[m]));
      sum += rest * rest;
    }
    deviation_[t] = std::sqrt(sum / static_cast<double>(training.size()));
    if (!(deviation_[t] > 0)) deviation_[t] = 1;
  }
}

Scaling::Scaling(const std::string& text) {
  const auto fields = split(text, ' ');
  if (fields.size() != kTargets * (kRegressors + 1)) {
    throw Error(
        ErrorCode::usage, "scaling",
        fmt::format("has {} numbers instead of {}", fields.size(), kTargets * (kRegressors + 1)));
  }
  std::size_t at = 0;
  for (std::size_t t = 0; t < kTargets; ++t) {
    deviation_[t] = parse_finite(fields[at++]);
    if (!(deviation_[t] > 0)) throw Error(ErrorCode::usage, "scaling", "has a deviation of 0");
    for (auto& b : linear_[t]) b = parse_finite(fields[at++]);
  }
}

std::string Scaling::text() const {
  std::string text;
  for (std::size_t t = 0; t < kTargets; ++t) {
    text += fmt::format("{}{}", t == 0 ? "" : " ", deviation_[t]);
    for (const double b : linear_[t]) text += fmt::format(" {}", b);
  }
  return text;
}

double Scaling::unit(std::size_t target) const {
  return deviation_[target] * targets()[target].factor;
}

}  // namespace fgnn::molecules
