// Sums over rows, in double, on several threads.
#pragma once

#include <cstddef>
#include <vector>

#include "fgnn/kernels/pieces.h"

namespace fgnn::kernels {

inline constexpr std::size_t kRowGrain = 256;  // rows worth a thread

// Calls body(sums of `size` numbers, first row, end row) on pieces of the rows; the pieces' sums
// are added in order.
template <class Body>
std::vector<double> sum_over_rows(std::size_t begin_row, std::size_t end_row, std::size_t size,
                                  int threads, Body body) {
  const std::size_t rows = end_row - begin_row;
  const std::size_t pieces = piece_count(rows, kRowGrain, threads);
  std::vector<double> sums;
  sums.reserve(pieces * size + 1);  // who sums over several parts appends a count
  sums.resize(pieces * size);
  over_pieces(rows, kRowGrain, threads, [&](std::size_t p, std::size_t begin, std::size_t end) {
    body(&sums[p * size], begin_row + begin, begin_row + end);
  });
  for (std::size_t p = 1; p < pieces; ++p) {
    for (std::size_t j = 0; j < size; ++j) sums[j] += sums[p * size + j];
  }
  sums.resize(size);
  return sums;
}

}  // namespace fgnn::kernels
