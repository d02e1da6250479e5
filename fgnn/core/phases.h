// Where the time of a computation went.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "fgnn/core/timing.h"

namespace fgnn {

struct Phase {
  std::string_view name;  // a literal
  double seconds = 0;
};

// One phase follows another; those of one name are added up.
class PhaseClock {
 public:
  PhaseClock() { phases_.reserve(8); }
  // Ends the phase before.
  void begin(std::string_view name) {
    const double now = watch_.seconds();
    close(now);
    running_ = name;
    since_ = now;
  }
  // What was measured elsewhere.
  void add(const std::vector<Phase>& others) {
    for (const Phase& phase : others) add(phase.name, phase.seconds);
  }
  // Ends the last phase.
  std::vector<Phase> take() {
    close(watch_.seconds());
    running_ = {};
    return std::move(phases_);
  }

 private:
  void close(double now) {
    if (!running_.empty()) add(running_, now - since_);
  }
  void add(std::string_view name, double seconds) {
    for (Phase& phase : phases_) {
      if (phase.name == name) {
        phase.seconds += seconds;
        return;
      }
    }
    phases_.push_back({name, seconds});
  }

  Stopwatch watch_;
  std::vector<Phase> phases_;
  std::string_view running_;
  double since_ = 0;
};

}  // namespace fgnn
