// Processor time of the calling thread: what a computation costs, however busy the machine is.
#pragma once

#include <time.h>

namespace fgnn {

class ThreadStopwatch {
 public:
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double start_ = now();
};

}  // namespace fgnn
