// The matrix product under everything learned, on one thread: C (+)= A B, row-major, float or
// double. Made for the shapes of message passing: many rows, a few dozen to a few hundred columns,
// a right-hand side that stays in the cache. A is addressed by two strides, so that A^T B (the
// gradient of weights) is the same loop.
//
// Cost: 2 m n k operations in register tiles of 6 rows by 4 (AVX-512) or 2 vectors.
#pragma once

#include <cstddef>

namespace fgnn::kernels {

// A's entry (i, p) is a[i * a_row + p * a_column]; B is k x n with rows ldb apart; C is m x n with
// rows ldc apart. Without `accumulate` C is overwritten, and begins with `start` in every row where
// that is not null.
template <class T>
void gemm(std::size_t m, std::size_t n, std::size_t k, const T* a, std::size_t a_row,
          std::size_t a_column, const T* b, std::size_t ldb, T* c, std::size_t ldc, bool accumulate,
          const T* start = nullptr);

// out (columns x rows) = in (rows x columns) transposed.
template <class T>
void transpose(const T* in, std::size_t rows, std::size_t columns, T* out);

}  // namespace fgnn::kernels
