// What the library leaves to the program: progress is drawn on the terminal, and Ctrl-C asks a
// computation to stop.
#pragma once

#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/core/timing.h"

namespace fgnn::cli {

// A bar in the last line of the terminal for stages that take longer than two seconds. Writes to
// standard error, and nothing at all when that is not a terminal. Stages may be nested: the one
// told of last is drawn.
class ProgressBar : public Observer {
 public:
  ProgressBar();
  void on_progress(const Progress& progress) override;

 private:
  struct Seen {
    std::string stage;
    Stopwatch watch;
    double last_drawn = 0;
    bool shown = false;
  };

  bool terminal_;
  std::vector<Seen> stages_;  // that are not over, outer ones first
};

// "words [=====     ]  50 %  12 s left  bound 3.1", or the seconds where the total is not known.
std::string bar_text(const Progress& progress, double seconds);

// For the options of a long computation. From the first call on, the first Ctrl-C asks to stop, and
// a second one ends the program at once; before, and in commands that do not call it, the first one
// ends it.
Control control();

// The bar alone: Ctrl-C ends the program.
Control bar();

// Throws Error(interrupted) when Ctrl-C was pressed, for after what was found has been printed:
// "`subject`: interrupted; `what`". The program ends with its exit code, 130.
void end_if_interrupted(const std::string& subject, const std::string& what);

}  // namespace fgnn::cli
