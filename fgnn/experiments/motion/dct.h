// The orthonormal discrete cosine transform (DCT-II) of trajectories, cut after the first terms:
//
//   D[k][i] = w_k cos(pi (i + 1/2) k / N),  w_0 = sqrt(1/N),  else w_k = sqrt(2/N)
//   coefficients = D x,  x' = D^T coefficients         k < kept: x' = x when kept = N
//
// A transform costs kept * N multiplications, which is little beside a network.
#pragma once

#include <span>
#include <vector>

namespace fgnn::motion {

class Dct {
 public:
  // Throws Error(usage) unless 1 <= kept <= frames.
  Dct(std::size_t frames, std::size_t kept);

  std::size_t frames() const { return frames_; }
  std::size_t kept() const { return kept_; }
  double at(std::size_t k, std::size_t frame) const { return matrix_[k * frames_ + frame]; }

  void forwards(std::span<const double> frames, std::span<double> coefficients) const;
  void backwards(std::span<const double> coefficients, std::span<double> frames) const;

 private:
  std::size_t frames_, kept_;
  std::vector<double> matrix_;  // kept x frames
};

}  // namespace fgnn::motion
