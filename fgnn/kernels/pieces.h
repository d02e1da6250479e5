// Loops whose pieces keep sums of their own, to be added in the order of the pieces: the same bits
// for the same number of threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "fgnn/core/parallel.h"

namespace fgnn::kernels {

// At most one per thread, none shorter than `grain` unless there is only one.
inline std::size_t piece_count(std::size_t count, std::size_t grain, int threads) {
  return std::clamp<std::size_t>(count / grain, 1, static_cast<std::size_t>(std::max(threads, 1)));
}

// Calls body(piece, begin, end) on contiguous pieces that cover 0 .. count.
template <class Body>
void over_pieces(std::size_t count, std::size_t grain, int threads, Body body) {
  const std::size_t pieces = piece_count(count, grain, threads);
  parallel_for(threads, pieces, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p)
      body(p, count * p / pieces, count * (p + 1) / pieces);
  });
}

}  // namespace fgnn::kernels
