// What the sources of the Python module fgnn._core share: one file per subject, compiled in
// parallel. The module is thin; what users see, with its documentation, is
// python/package/fgnn/*.py.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace fgnn::python {

namespace py = pybind11;

// One for each subject, in the order in which module.cc calls them.
void add_errors(py::module_& m);
void add_running(py::module_& m);
void add_potentials(py::module_& m);
void add_graphs(py::module_& m);
void add_builder(py::module_& m);
void add_results(py::module_& m);
void add_solvers(py::module_& m);
void add_plans(py::module_& m);
void add_codes(py::module_& m);
void add_decoders(py::module_& m);
void add_batches(py::module_& m);
void add_models(py::module_& m);
void add_engines(py::module_& m);
void add_training(py::module_& m);

}  // namespace fgnn::python
