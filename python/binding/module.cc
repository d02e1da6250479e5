// The Python module fgnn._core.
#include "fgnn/version.h"
#include "python/binding/binding.h"

PYBIND11_MODULE(_core, m) {
  using namespace fgnn::python;
  m.doc() = "The library fgnn, as the package fgnn uses it.";
  m.attr("version") = fgnn::kVersion;
  add_errors(m);
  add_running(m);
  add_potentials(m);
  add_graphs(m);
  add_builder(m);
  add_results(m);
  add_solvers(m);
  add_plans(m);
  add_codes(m);
  add_decoders(m);
  add_batches(m);
  add_models(m);
  add_engines(m);
  add_training(m);
}
