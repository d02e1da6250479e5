#include "python/binding/evidence.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/graph/find_variable.h"
#include "python/binding/arrays.h"

namespace fgnn::python {

VariableId variable_of(const FactorGraph& graph, py::handle given) {
  if (py::isinstance<py::str>(given)) {
    const auto name = given.cast<std::string>();
    return find_variable(graph, name, fmt::format("variable '{}'", name));
  }
  const py::ssize_t number = PyNumber_AsSsize_t(given.ptr(), PyExc_OverflowError);
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (number < 0 || static_cast<std::size_t>(number) >= graph.num_variables()) {
    throw Error(ErrorCode::model, fmt::format("variable {}", number),
                fmt::format("the graph has {} variables", graph.num_variables()));
  }
  return static_cast<VariableId>(number);
}

Evidence evidence_of(const FactorGraph& graph, const py::object& given) {
  Evidence evidence;
  if (given.is_none()) return evidence;
  for (const auto& [key, value] : given.cast<py::dict>()) {
    const VariableId variable = variable_of(graph, key);
    const bool array = py::isinstance<py::array>(value);
    const bool one = array ? value.cast<py::array>().ndim() == 0 : PyIndex_Check(value.ptr()) != 0;
    if (one) {
      evidence.fix(variable, wholes(py::reinterpret_borrow<py::object>(value),
                                    fmt::format("evidence on {}", graph.name(variable)))
                                 .values.front());
    } else {
      const auto logs = numbers(value.cast<Doubles>());
      evidence.weigh(variable, {logs.begin(), logs.end()});
    }
  }
  return evidence;
}

py::dict dictionary(const Evidence& evidence) {
  py::dict all;
  for (const auto& [variable, state] : evidence.hard()) all[py::int_(variable)] = state;
  for (const auto& [variable, logs] : evidence.soft()) {
    all[py::int_(variable)] = given_away(logs);
  }
  return all;
}

}  // namespace fgnn::python
