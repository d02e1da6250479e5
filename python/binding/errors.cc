// Errors of the library as exceptions of Python: a class for each kind, with the same line.
#include <string>

#include "fgnn/core/error.h"
#include "fgnn/core/warning.h"
#include "python/binding/binding.h"

namespace fgnn::python {
namespace {

// From the name of a kind to its class (python/package/fgnn/errors.py). Never freed: exceptions may
// come as late as the interpreter's end.
py::dict& classes() {
  static auto* all = new py::dict;
  return *all;
}

void raise(const Error& error) {
  const std::string code(name(error.code()));
  const py::str key(code);
  if (!classes().contains(key)) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return;
  }
  const py::object kind = classes()[key];
  const py::object exception = kind(error.what());
  exception.attr("code") = code;
  exception.attr("subject") = error.subject();
  exception.attr("hint") = error.hint();
  PyErr_SetObject(kind.ptr(), exception.ptr());
}

// As Python's own warnings, which may become exceptions: those cannot pass through here.
void warn_in_python(const std::string& line) {
  const py::gil_scoped_acquire held;
  if (PyErr_WarnEx(PyExc_UserWarning, line.c_str(), 2) != 0) PyErr_Clear();
}

}  // namespace

void add_errors(py::module_& m) {
  m.def("set_errors", [](const py::dict& by_code) { classes() = by_code; });
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    }
  });
  set_warning_sink(warn_in_python);
}

}  // namespace fgnn::python
