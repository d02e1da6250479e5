// Alternating least squares from one start: the inner loop of fgnn/decompose/cp.h.
#pragma once

#include "fgnn/decompose/cp.h"
#include "fgnn/decompose/tensor.h"

namespace fgnn {

struct CpRun {
  Columns columns;
  double error = kInfinity;  // Frobenius, relative to the tensor
  std::size_t iterations = 0;
  bool converged = false;  // the tolerance was met, or nothing changes any more
};

// Improves `columns` (at least one variable, a tensor that is not zero) until converged. One
// iteration solves for each variable's vectors in turn, W <- argmin |T - sum|^2 + mu |W - W_old|^2.
// The pull mu towards the old vectors keeps nearly parallel terms from stopping progress ("swamps")
// and is annealed away; it does not move the optima (Li, Kindermann and Navasca 2013). Then a step
// further along the last change is tried, and kept if it helps (Bro 1998).
CpRun alternating_least_squares(const Tensor& tensor, Columns columns, const CpOptions& options);

}  // namespace fgnn
