#include "fgnn/kernels/bf16.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/bf16_tiles.h"
#include "fgnn/kernels/gemm.h"

namespace fgnn::kernels {
namespace {

thread_local Products here = Products::full;

// Without tiles: rounded copies, multiplied as floats.
void multiply_rounded(std::size_t m, std::size_t n, std::size_t k, const float* a,
                      std::size_t a_row, std::size_t a_column, const float* b, std::size_t ldb,
                      float* c, std::size_t ldc, bool accumulate, const float* start) {
  AlignedVector<float> left(m * k), right(k * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      left[i * k + p] = round_to_bf16(a[i * a_row + p * a_column]);
    }
  }
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t j = 0; j < n; ++j) right[p * n + j] = round_to_bf16(b[p * ldb + j]);
  }
  const ProductsHere as_floats(Products::full);
  gemm(m, n, k, left.data(), k, 1, right.data(), n, c, ldc, accumulate, start);
}

}  // namespace

ProductsHere::ProductsHere(Products products) : before_(here) { here = products; }
ProductsHere::~ProductsHere() { here = before_; }
Products products_here() { return here; }

bool has_fast_bf16() { return has_tiles(); }

// Below, blocks would be mostly padding and cost more than they save.
bool suits_bf16(std::size_t m, std::size_t n, std::size_t k) {
  return m >= 8 && n >= 8 && k >= 8 && m * n * k >= 8192;
}

float round_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return x;
  return std::bit_cast<float>((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u);
}

void gemm_bf16(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_row,
               std::size_t a_column, const float* b, std::size_t ldb, float* c, std::size_t ldc,
               bool accumulate, const float* start) {
  if (!has_tiles() || (a_row != 1 && a_column != 1)) {
    return multiply_rounded(m, n, k, a, a_row, a_column, b, ldb, c, ldc, accumulate, start);
  }
  // A long sum in pieces whose blocks stay in the second cache.
  constexpr std::size_t kLongest = 1024;
  for (std::size_t p = 0; p < k; p += kLongest) {
    multiply_in_tiles({.m = m,
                       .n = n,
                       .k = std::min(kLongest, k - p),
                       .a = a + p * a_column,
                       .a_row = a_row,
                       .a_column = a_column,
                       .b = b + p * ldb,
                       .ldb = ldb,
                       .c = c,
                       .ldc = ldc,
                       .accumulate = accumulate || p > 0,
                       .start = start});
  }
}

}  // namespace fgnn::kernels
