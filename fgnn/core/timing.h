// Wall-clock time: how long something took, and whether the time given is over.
#pragma once

#include <chrono>
#include <utility>

#include "fgnn/core/stop.h"
#include "fgnn/core/types.h"

namespace fgnn {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A time limit in seconds, and whoever may ask to stop before it. Infinity (the default everywhere)
// never expires.
class Deadline {
 public:
  Deadline() = default;
  // Counted from now, or from when a watch was started.
  explicit Deadline(double seconds, Stopwatch since = {}, StopToken stop = {})
      : limit_(seconds), watch_(since), stop_(std::move(stop)) {}
  // Whether to end: the time is over, or a stop was asked for.
  bool expired() const {
    return interrupted() || (limit_ != kInfinity && watch_.seconds() >= limit_);
  }
  bool interrupted() const { return stop_.stop_requested(); }
  double limit() const { return limit_; }
  // Seconds left; not above zero once expired.
  double remaining() const { return limit_ == kInfinity ? limit_ : limit_ - watch_.seconds(); }

 private:
  double limit_ = kInfinity;
  Stopwatch watch_;
  StopToken stop_;
};

}  // namespace fgnn
