// What a caller sees of a long computation, and how it ends one: part of the options of everything
// that may take long. The library itself draws and prints nothing.
//
//   struct Mine : Observer { void on_progress(const Progress& p) override { … } } mine;
//   StopSource source;  // request_stop() from another thread, or a signal handler
//   Result r = ad3(graph, {.control = {&mine, source.token()}});
//   // r.status == Status::interrupted: the best answer so far
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fgnn/core/stop.h"

namespace fgnn {

// How far a stage of a computation has got.
struct Progress {
  std::string_view stage;      // "message passing", "training"
  double done = 0, total = 0;  // in units of the stage, such as iterations; total 0: unknown
  std::optional<double> residual, score, bound;  // where the method has them
  std::string_view note;                         // a few words more, such as the loss
  bool over = false;                             // the last that is told of this stage
};

// Told of every step of a stage: an iteration, a batch, a graph. Calls come from one thread at a
// time, not always the same one. Exceptions end the computation and reach its caller.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_progress(const Progress& progress) = 0;
};

struct Control {
  Observer* observer = nullptr;  // not owned; must outlive the computation
  StopToken stop;

  // Throws Error(interrupted) once a stop was asked for: "`subject`: interrupted; `what`".
  void end_if_stopped(const std::string& subject, const std::string& what) const;

  // Who looks on changes no answer: options that differ in this alone are equal.
  friend bool operator==(const Control&, const Control&) { return true; }
};

// One stage, told to the observer (if there is one) from its beginning to its end.
class Stage {
 public:
  Stage(const Control& control, std::string name, double total)
      : observer_(control.observer), name_(std::move(name)) {
    now_.stage = name_;
    now_.total = total;
  }
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Whether anybody listens: a note need not be written otherwise.
  bool watched() const { return observer_ != nullptr; }
  // Told with the next step.
  Progress& now() { return now_; }
  void note(std::string text) {
    note_ = std::move(text);
    now_.note = note_;
  }
  void advance(double amount = 1) {
    now_.done += amount;
    if (observer_ != nullptr) observer_->on_progress(now_);
  }

 private:
  Observer* observer_;
  std::string name_, note_;
  Progress now_;
};

}  // namespace fgnn
