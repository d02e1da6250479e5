// A progress bar on the terminal for anything that takes longer than two seconds. Writes to
// standard error, and nothing at all when standard error is not a terminal.
#pragma once

#include <cstdint>
#include <string>

#include "fgnn/core/timing.h"

namespace fgnn {

class Progress {
 public:
  // `total` is the amount of work in any unit; 0 means unknown (a spinner instead of a bar).
  Progress(std::string label, double total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(double amount = 1);
  // A short text behind the bar, such as the current loss or bound.
  void note(std::string text) { note_ = std::move(text); }

 private:
  void draw();

  std::string label_, note_;
  double total_, done_ = 0, last_drawn_ = 0;
  Stopwatch watch_;
  bool terminal_, shown_ = false;
};

}  // namespace fgnn
