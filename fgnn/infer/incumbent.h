// The best assignment known so far, to be shared by searches on several threads, with the trace of
// how it and the bound got better.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/infer/result.h"

namespace fgnn {

class Incumbent {
 public:
  // Keeps it if it is better. The score must be that of the assignment.
  bool offer(const std::vector<State>& assignment, double score) {
    if (!(score > score_.load(std::memory_order_relaxed))) return false;
    const std::lock_guard lock(mutex_);
    if (!(score > score_.load(std::memory_order_relaxed))) return false;
    assignment_ = assignment;
    score_.store(score, std::memory_order_relaxed);
    note();
    return true;
  }
  // No assignment scores higher.
  void bound(double bound) {
    const std::lock_guard lock(mutex_);
    if (!(bound < bound_)) return;
    bound_ = bound;
    note();
  }

  double score() const { return score_.load(std::memory_order_relaxed); }
  Solution best() const {
    const std::lock_guard lock(mutex_);
    return {assignment_, score()};
  }
  double bound() const {
    const std::lock_guard lock(mutex_);
    return bound_;
  }
  // A point for every better score or bound, in seconds since this was made.
  std::vector<TracePoint> trace() const {
    const std::lock_guard lock(mutex_);
    return trace_;
  }

 private:
  void note() {
    constexpr double kApart = 1e-3;  // seconds: points nearer to each other are one
    const TracePoint point{watch_.seconds(), score(), bound_};
    if (!trace_.empty() && point.seconds - trace_.back().seconds < kApart) trace_.pop_back();
    trace_.push_back(point);
  }

  std::atomic<double> score_ = kForbidden;
  mutable std::mutex mutex_;
  Stopwatch watch_;
  std::vector<State> assignment_;
  double bound_ = kInfinity;
  std::vector<TracePoint> trace_;
};

}  // namespace fgnn
