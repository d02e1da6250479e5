// Targets as networks are trained on them: what is linear in simple sums of the molecule is taken
// off, and the rest has mean 0 and deviation 1. All numbers come from the training molecules and
// are kept in the model.
//
//   y = sum_k b_k x_k + mean + deviation * network,   x = counts of H, C, N, O, F
//
// with b by least squares (reference=atoms), for all targets but the dipole and the orbitals'
// energies, which do not grow with the molecule; or none (reference=none), as in the paper's table.
// reference=moments also has, for <R²> alone, the sums over the atoms of each element of the
// squared distance from the middle: what the electrons of free atoms would give.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "fgnn/experiments/molecules/molecule_set.h"

namespace fgnn::molecules {

inline constexpr std::size_t kRegressors = 11;  // 1, five counts, five moments

enum class Reference { none, atoms, moments };
Reference reference_of(const std::string& text);  // throws Error(usage)
std::string name(Reference reference);

// 1, counts by element, sums of squared distances from the middle by element.
std::array<double, kRegressors> regressors(const MoleculeView& molecule);

class Scaling {
 public:
  Scaling() = default;
  // By the targets of these molecules of the set.
  Scaling(const MoleculeSet& molecules, std::span<const std::size_t> training, Reference reference);
  // As text() wrote it. Throws Error(usage).
  explicit Scaling(const std::string& text);
  std::string text() const;

  // From units of the file to what a network is to say, and back.
  double scaled(std::size_t target, double value, const std::array<double, kRegressors>& x) const {
    return (value - reference(target, x)) / deviation_[target];
  }
  double value(std::size_t target, double scaled, const std::array<double, kRegressors>& x) const {
    return scaled * deviation_[target] + reference(target, x);
  }
  // In the target's reporting unit, what a network's 1 stands for.
  double unit(std::size_t target) const;

 private:
  double reference(std::size_t target, const std::array<double, kRegressors>& x) const {
    double sum = 0;
    for (std::size_t k = 0; k < kRegressors; ++k) sum += linear_[target][k] * x[k];
    return sum;
  }

  std::array<std::array<double, kRegressors>, kTargets> linear_{};
  std::array<double, kTargets> deviation_{};
};

}  // namespace fgnn::molecules
