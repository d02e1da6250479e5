// Computations that take long: without the GIL, ended by Ctrl-C, told to a function of Python.
//
// A first Ctrl-C (SIGINT) asks the computation to stop by its StopToken. When it has stopped,
// Python handles the signal as it always does, usually by KeyboardInterrupt, which then has the
// answer found so far as its `result`. That is for calls from the main thread, which alone handles
// signals in Python; calls from other threads run on.
#pragma once

#include <csignal>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "fgnn/core/control.h"
#include "python/binding/binding.h"

namespace fgnn::python {

class Watch final : private Observer {
 public:
  // `progress` is None, or called with a Progress; where it returns False, a stop is asked for.
  explicit Watch(py::object progress);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  Control control() { return {progress_.is_none() ? nullptr : this, source_.token()}; }
  // With the GIL, when the computation is over: throws what `progress` has thrown, or what Python
  // makes of the signal. `so_far` is asked for what is worth keeping.
  void end(const std::function<py::object()>& so_far);

 private:
  void on_progress(const Progress& progress) override;

  py::object progress_;
  std::optional<py::error_already_set> thrown_;
  StopSource source_;
  StopSource* outer_ = nullptr;  // of the call during whose progress this one is made
  bool heeds_signals_ = false;
  struct sigaction before_ {};
};

// body(control) without the GIL. What it returns is also the `result` of a KeyboardInterrupt, as
// `keep` makes it an object of Python.
template <class Body, class Keep>
auto run(const py::object& progress, Body&& body, Keep&& keep) {
  Watch watch(progress);
  using Value = std::invoke_result_t<Body, const Control&>;
  std::optional<Value> answer;
  std::exception_ptr failure;
  {
    const py::gil_scoped_release others_may_run;
    try {
      answer.emplace(body(watch.control()));
    } catch (...) {
      failure = std::current_exception();
    }
  }
  watch.end([&] { return answer ? py::object(keep(*answer)) : py::object(py::none()); });
  if (failure) std::rethrow_exception(failure);
  return std::move(*answer);
}

template <class Body>
auto run(const py::object& progress, Body&& body) {
  return run(progress, std::forward<Body>(body), [](const auto&) { return py::none(); });
}

}  // namespace fgnn::python
