// Splitting a loop over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace fgnn {

// Number of threads to use when the caller says 0: the processors this process may run on.
int default_threads();

// Calls body(begin, end) on contiguous pieces that cover 0 .. count, one piece per thread at most,
// none shorter than `grain` (so small loops stay on the calling thread). Pieces depend on `count`,
// `grain` and `threads` alone. Threads are kept between calls. An exception of a piece is rethrown.
// Calls from inside a piece run on the calling thread.
void parallel_for(int threads, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace fgnn
