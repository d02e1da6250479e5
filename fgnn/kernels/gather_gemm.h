// Products as in gemm.h whose left side is gathered: its rows lie anywhere in memory, and may
// overlap. Convolutions are such products, of the neighbourhoods of all pixels with the kernel.
//
// Cost: 2 m n k operations per segment in register tiles of 6 rows by 4 (AVX-512) or 2 vectors; the
// right side is copied once per call, column by column of tiles, so that m should be a few dozen.
#pragma once

#include <cstddef>

namespace fgnn::kernels {

// C (m x n) = start + sum_s A_s B_s, where row i of A_s is the k numbers at a[rows[i] + s * step],
// and B (segments * k x n) holds the B_s below each other. `start` has n numbers, or is null for
// zeros.
template <class T>
void gather_product(std::size_t m, std::size_t n, std::size_t segments, std::size_t k, const T* a,
                    const std::size_t* rows, std::size_t step, const T* b, const T* start, T* c);

// C_s (m x n, below each other) += A_s^T B, where row p of A_s is the m numbers at
// a[rows[p] + s * step], and B is count x n. Sums run over p in order.
template <class T>
void gather_outer(std::size_t m, std::size_t n, std::size_t segments, std::size_t count, const T* a,
                  const std::size_t* rows, std::size_t step, const T* b, T* c);

}  // namespace fgnn::kernels
