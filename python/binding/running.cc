#include "python/binding/running.h"

#include <atomic>
#include <cerrno>
#include <optional>
#include <string>

namespace fgnn::python {
namespace {

// Of the innermost call in the main thread.
std::atomic<StopSource*> stopping{nullptr};
void (*python_handler)(int) = nullptr;
unsigned long main_thread = 0;

void on_interrupt(int signal) {
  const int error = errno;
  if (StopSource* source = stopping.load(std::memory_order_relaxed)) source->request_stop();
  python_handler(signal);  // which only notes it
  errno = error;
}

// What is told to Python; a copy, since it may be kept.
struct Told {
  std::string stage, note;
  double done = 0, total = 0;
  std::optional<double> residual, score, bound;
  bool over = false;
};

}  // namespace

Watch::Watch(py::object progress) : progress_(std::move(progress)) {
  if (PyThread_get_thread_ident() != main_thread) return;
  struct sigaction now {};
  if (::sigaction(SIGINT, nullptr, &now) != 0) return;
  const bool ours = now.sa_handler == on_interrupt;
  // Where it is ignored or ends the process, it goes on to do so.
  const bool handled =
      (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler != SIG_IGN && now.sa_handler != SIG_DFL;
  if (!handled) return;
  outer_ = stopping.exchange(&source_, std::memory_order_relaxed);
  heeds_signals_ = true;
  before_ = now;
  if (ours) return;
  python_handler = now.sa_handler;
  now.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &now, nullptr);
}

Watch::~Watch() {
  if (!heeds_signals_) return;
  ::sigaction(SIGINT, &before_, nullptr);
  stopping.store(outer_, std::memory_order_relaxed);
}

void Watch::on_progress(const Progress& p) {
  if (source_.stop_requested()) return;
  const py::gil_scoped_acquire held;
  try {
    const py::object answer = progress_(Told{std::string(p.stage), std::string(p.note), p.done,
                                             p.total, p.residual, p.score, p.bound, p.over});
    if (answer.is(py::handle(Py_False))) source_.request_stop();
  } catch (py::error_already_set& error) {
    thrown_.emplace(error);
    source_.request_stop();
  }
}

void Watch::end(const std::function<py::object()>& so_far) {
  if (thrown_) {
    py::error_already_set error = std::move(*thrown_);
    thrown_.reset();
    throw error;
  }
  if (!heeds_signals_ || !source_.stop_requested() || PyErr_CheckSignals() == 0) return;
  py::error_already_set error;
  if (error.matches(PyExc_KeyboardInterrupt)) error.value().attr("result") = so_far();
  throw error;
}

void add_running(py::module_& m) {
  main_thread = static_cast<unsigned long>(
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>());
  py::class_<Told>(m, "Progress", "How far a stage of a computation has got.")
      .def_readonly("stage", &Told::stage, "Such as 'message passing'.")
      .def_readonly("note", &Told::note, "A few words more.")
      .def_readonly("done", &Told::done, "In units of the stage, such as iterations.")
      .def_readonly("total", &Told::total, "0: unknown.")
      .def_readonly("residual", &Told::residual, "None where the method has none.")
      .def_readonly("score", &Told::score, "None where the method has none.")
      .def_readonly("bound", &Told::bound, "None where the method has none.")
      .def_readonly("over", &Told::over, "Whether this is the last of the stage.");
}

}  // namespace fgnn::python
