// The quadratic steps of AD3 that have a closed form. All work on binary variables, one coordinate
// y_i in [0, 1] each, and solve exactly
//   minimise  1/2 |y - a|^2 - f(y)      over the convex hull of the allowed joint states,
// where f is the concave envelope of the log-potential divided by the step size. Pairs, and the
// flat counts of which there are many, have the same done in parallel (lanes.h).
#pragma once

#include <cstddef>
#include <span>

namespace fgnn::admm {

// The nearest point of { y in [0,1]^n : sum y = sum }, 0 <= sum <= n: y_i = clip(a_i + shift), the
// shift found by Newton's method on the piecewise linear sum, which ends after finitely many
// passes; the shift of a similar problem is a good start. `y` may be `a`.
void project_to_sum(std::span<const double> a, double sum, double& shift, std::span<double> y);

// f(y) = values[sum y - least] / step, values concave and finite for sums least, least + 1, …;
// all other sums forbidden. Budgets, exactly one, or: values all zero. By bisection over the
// slopes of f. `shift` as above.
struct CountValues {
  std::size_t least = 0;
  std::span<const double> values;
  bool flat = true;  // all zero

  std::size_t most() const { return least + values.size() - 1; }
};
void count_step(std::span<const double> a, const CountValues& count, double step, double& shift,
                std::span<double> y);

// f = 0 on joint states whose sum is even (or odd). The one facet of the parity polytope that a
// point of the box can violate is found by rounding (Zhang, Siegel 2012); the nearest point on it
// is a projection onto a simplex.
void parity_step(std::span<const double> a, bool odd, double& shift, std::span<double> y);

// The best value of sum_i gains_i y_i + f(y) over the same joint states, f not divided by anything.
// All use `gains` as scratch.
double best_count(std::span<double> gains, const CountValues& count);
double best_between(std::span<double> gains, std::size_t least, std::size_t most);  // f = 0
double best_parity(std::span<double> gains, bool odd);

}  // namespace fgnn::admm
