// A table as a sum of R rank-1 terms, the paper's equation for T (CANDECOMP/PARAFAC, "CP"):
//   phi(x_1 … x_n)  ~  sum_r lambda_r prod_j w_j^r(x_j),
// by alternating least squares in the linear domain (Kolda and Bader 2009, section 3.4). One
// iteration costs O(n * entries * R). Exact where that is cheap to know: a matrix is cut off at its
// R-th singular value, which is optimal (Eckart and Young 1936), and when R is at least the number
// of rows of the table, the rows are the terms. Otherwise the best of several starts is returned,
// with its measured error; finding the true rank is NP-hard (Hastad 1990).
//
// Forbidden joint states are plain zeros here. An approximation may be a little above zero there,
// or a little below zero anywhere, and LowRank::score refuses negative values. To use one as a
// potential, ask for `non_negative` terms, or add a constant: lift(*cp.potential, -cp.min_value).
#pragma once

#include <cstdint>
#include <memory>

#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/table.h"

namespace fgnn {

struct CpOptions {
  bool non_negative = false;  // no negative weight: every term is a potential of its own
  // Stop at this relative error. The default is as exact as ALS gets in reasonable time.
  double tolerance = 1e-10;
  std::size_t max_iterations = 500;  // of each start
  std::size_t starts = 8;            // more find better optima; none is tried once one is exact
  std::uint64_t seed = 0;

  void validate() const;  // throws Error(usage)
};

struct CpResult {
  std::shared_ptr<const LowRank> potential;  // at most R terms, unit vectors, weighed by lambda
  double relative_error = 0;                 // |phi' - phi| / |phi|, Frobenius norms
  double max_error = 0;                      // max |phi' - phi| / max phi
  double min_value = 0;  // min phi' / max phi; negative: no legal potential as it stands
  std::size_t iterations = 0, starts = 0;  // 0 where an exact form was at hand
  bool converged = true;  // of the start that was best: false when it ran out of iterations
};

// Throws Error(usage) when rank is 0 or an option makes no sense.
CpResult decompose_cp(const Table& table, std::size_t rank, const CpOptions& options = {});

// The first of ranks 1, 2, … whose relative error is within `tolerance`; when there is none up to
// max_rank, the most accurate seen.
CpResult smallest_rank(const Table& table, double tolerance, std::size_t max_rank,
                       CpOptions options = {});

// The potential plus the constant amount * exp(log_scale): one more term.
std::shared_ptr<const LowRank> lift(const LowRank& potential, double amount);

}  // namespace fgnn
