// Damped Gauss-Newton (Levenberg-Marquardt) on all vectors of a sum of rank-1 terms at once, for
// the last stretch where alternating least squares crawls: nearly parallel terms cost it thousands
// of iterations, this a few dozen (Phan, Tichavsky and Cichocki 2013). The P x P normal equations,
// P = R * (sum of states), have a closed form in the R x R Gram matrices; one iteration costs
// O(n * entries * R + P^3), so it is for P up to kMaxGaussNewton.
#pragma once

#include "fgnn/decompose/als.h"

namespace fgnn {

inline constexpr std::size_t kMaxGaussNewton = 300;

// Improves the run until the tolerance is met or progress ends; never makes it worse. With
// `non_negative`, weights are the squares of what is solved for.
void gauss_newton(const Tensor& tensor, const CpOptions& options, CpRun& run);

}  // namespace fgnn
