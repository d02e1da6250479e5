#include "fgnn/decompose/tensor.h"

#include <algorithm>
#include <cmath>

namespace fgnn {
namespace {

// out[k] = sum_s w[s] in[s][k]; `in` is w.size() rows of `width`. In place is fine.
void contract_first(std::span<const double> w, std::size_t width, const double* in, double* out) {
  for (std::size_t k = 0; k < width; ++k) out[k] = w[0] * in[k];
  for (std::size_t s = 1; s < w.size(); ++s) {
    const double* row = in + s * width;
    for (std::size_t k = 0; k < width; ++k) out[k] += w[s] * row[k];
  }
}

// out[k] = sum_s in[k][s] w[s]; `in` is `rows` rows of w.size(). In place is fine.
void contract_last(std::span<const double> w, std::size_t rows, const double* in, double* out) {
  for (std::size_t k = 0; k < rows; ++k) {
    const double* row = in + k * w.size();
    double sum = 0;
    for (std::size_t s = 0; s < w.size(); ++s) sum += row[s] * w[s];
    out[k] = sum;
  }
}

}  // namespace

Tensor linear_tensor(const Table& table) {
  Tensor tensor{table.shape(), table.values(), 0, 0};
  const double high = *std::max_element(tensor.values.begin(), tensor.values.end());
  if (high != kForbidden) tensor.log_scale = high;
  double squares = 0;
  for (double& v : tensor.values) {
    v = v == kForbidden ? 0.0 : std::exp(v - tensor.log_scale);
    squares += v * v;
  }
  tensor.norm = std::sqrt(squares);
  return tensor;
}

void contract_others(const Tensor& tensor, const Columns& columns, std::size_t mode,
                     std::span<double> out) {
  const auto& shape = tensor.shape;
  const std::size_t rank = columns[mode].size() / shape[mode];
  std::vector<double> buffer(tensor.values.size());
  for (std::size_t r = 0; r < rank; ++r) {
    const auto weights = [&](std::size_t j) {
      return std::span(columns[j]).subspan(r * shape[j], shape[j]);
    };
    const double* in = tensor.values.data();
    std::size_t size = tensor.values.size();
    for (std::size_t j = 0; j < mode; ++j, in = buffer.data()) {
      contract_first(weights(j), size /= shape[j], in, buffer.data());
    }
    for (std::size_t j = shape.size() - 1; j > mode; --j, in = buffer.data()) {
      contract_last(weights(j), size /= shape[j], in, buffer.data());
    }
    std::copy_n(in, size, out.begin() + static_cast<std::ptrdiff_t>(r * size));
  }
}

std::vector<double> sum_of_terms(const std::vector<State>& shape, const Columns& columns) {
  std::vector<double> total(configurations(shape), 0.0), term(total.size());
  const std::size_t rank = columns[0].size() / shape[0];
  for (std::size_t r = 0; r < rank; ++r) {
    term[0] = 1;
    std::size_t size = 1;
    for (std::size_t j = 0; j < shape.size(); ++j) {
      const auto w = std::span(columns[j]).subspan(r * shape[j], shape[j]);
      for (std::size_t k = size; k-- > 0;) {  // from the back, since it grows in place
        const double prefix = term[k];
        for (State x = 0; x < shape[j]; ++x) term[k * shape[j] + x] = prefix * w[x];
      }
      size *= shape[j];
    }
    for (std::size_t k = 0; k < size; ++k) total[k] += term[k];
  }
  return total;
}

}  // namespace fgnn
