// A table in the linear domain, and the two operations on it that alternating least squares needs.
// Nothing larger than the tensor itself is ever held: terms are contracted and expanded one by one.
#pragma once

#include <span>
#include <vector>

#include "fgnn/potentials/table.h"

namespace fgnn {

// phi / max phi; all zeros when everything is forbidden.
struct Tensor {
  std::vector<State> shape;
  std::vector<double> values;  // last variable fastest
  double log_scale = 0;        // log max phi
  double norm = 0;             // Frobenius
};

Tensor linear_tensor(const Table& table);

// The vectors of R rank-1 terms: columns[j][r * states + x] = w_j^r(x).
using Columns = std::vector<std::vector<double>>;

// out[r * states + x] = sum over joint states with x_mode = x of T times the weights of all other
// variables in term r ("matricised tensor times Khatri-Rao product"). O(entries * R) time.
void contract_others(const Tensor& tensor, const Columns& columns, std::size_t mode,
                     std::span<double> out);

// The sum of all terms, joint state by joint state. O(entries * R) time.
std::vector<double> sum_of_terms(const std::vector<State>& shape, const Columns& columns);

}  // namespace fgnn
