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

// Calls body(i) for every i below `count`, in any order, on up to `threads` threads that take what
// is left: a thread which the system puts aside is not waited for longer than its own task takes.
void parallel_tasks(int threads, std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace fgnn
