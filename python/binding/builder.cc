// Graphs made from arrays: many variables, unaries and factors in one call.
#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/table.h"
#include "python/binding/arrays.h"
#include "python/binding/potentials.h"

namespace fgnn::python {
namespace {

py::array ids(const VariableArray& variables) {
  return given_away(std::vector<VariableId>(variables.begin(), variables.end()));
}

// Rows of `width` numbers for these variables: one for all, or one each.
void unary(GraphBuilder& b, const py::object& variables, const Doubles& values) {
  const Wholes at = wholes(variables, "unary: variables");
  const std::span<const double> all = numbers(values);
  if (values.ndim() == 0) throw Error(ErrorCode::usage, "unary", "needs a value per state");
  const auto width = static_cast<std::size_t>(values.shape(values.ndim() - 1));
  const bool shared = values.ndim() == 1;
  if (!shared && all.size() != width * at.values.size()) {
    throw Error(ErrorCode::usage, "unary",
                fmt::format("{} rows for {} variables", width > 0 ? all.size() / width : 0,
                            at.values.size()));
  }
  for (std::size_t i = 0; i < at.values.size(); ++i) {
    b.unary(at.values[i], all.subspan(shared ? 0 : i * width, width));
  }
}

struct Scopes {
  Wholes ids;
  std::size_t count = 0, arity = 0;

  explicit Scopes(const py::object& given) : ids(wholes(given, "factors: scopes")) {
    if (ids.shape.size() != 2) {
      throw Error(ErrorCode::usage, "factors", "needs a matrix of variables, a row per factor");
    }
    count = static_cast<std::size_t>(ids.shape[0]);
    arity = static_cast<std::size_t>(ids.shape[1]);
  }
  std::span<const VariableId> operator[](std::size_t i) const {
    return std::span(ids.values).subspan(i * arity, arity);
  }
};

void factors_of_one(GraphBuilder& b, const Scopes& scopes, std::shared_ptr<const Potential> p) {
  if (scopes.count == 0) return;
  const PotentialId shared = b.potential(std::move(p));
  for (std::size_t i = 0; i < scopes.count; ++i) b.factor(scopes[i], shared);
}

// A table for all factors, or one each.
void factors_of_tables(GraphBuilder& b, const Scopes& scopes, const Doubles& tables) {
  const auto dims = static_cast<std::size_t>(tables.ndim());
  const std::span<const double> all = numbers(tables);
  if (dims == scopes.arity) {
    std::vector<State> shape(tables.shape(), tables.shape() + dims);
    return factors_of_one(b, scopes,
                          std::make_shared<const Table>(
                              std::move(shape), std::vector<double>(all.begin(), all.end())));
  }
  const bool fits =
      dims == scopes.arity + 1 && static_cast<std::size_t>(tables.shape(0)) == scopes.count;
  if (!fits) {
    throw Error(ErrorCode::usage, "factors",
                fmt::format("{} factors on {} variables need one table with {} axes, or {} of them",
                            scopes.count, scopes.arity, scopes.arity, scopes.count));
  }
  const std::vector<State> shape(tables.shape() + 1, tables.shape() + dims);
  const std::size_t size = scopes.count > 0 ? all.size() / scopes.count : 0;
  for (std::size_t i = 0; i < scopes.count; ++i) {
    const auto table = all.subspan(i * size, size);
    b.factor(scopes[i], Table(shape, {table.begin(), table.end()}));
  }
}

void factors(GraphBuilder& b, const py::object& given, const py::object& potentials) {
  const Scopes scopes(given);
  if (py::isinstance<SharedPotential>(potentials)) {
    return factors_of_one(b, scopes, potentials.cast<SharedPotential>().held);
  }
  const bool list = py::isinstance<py::list>(potentials) && py::len(potentials) > 0 &&
                    py::isinstance<SharedPotential>(potentials.cast<py::list>()[0]);
  if (!list) return factors_of_tables(b, scopes, potentials.cast<Doubles>());
  const auto each = potentials.cast<std::vector<SharedPotential>>();
  if (each.size() != scopes.count) {
    throw Error(ErrorCode::usage, "factors",
                fmt::format("{} potentials for {} factors", each.size(), scopes.count));
  }
  for (std::size_t i = 0; i < each.size(); ++i) b.factor(scopes[i], each[i].held);
}

}  // namespace

void add_builder(py::module_& m) {
  py::class_<GraphBuilder>(m, "GraphBuilder")
      .def(py::init<>())
      .def("variable", &GraphBuilder::variable)
      .def("variables",
           [](GraphBuilder& b, std::string name, std::size_t count, State states) {
             return ids(b.variables(std::move(name), count, states));
           })
      .def("variables_of",
           [](GraphBuilder& b, std::string name, const py::object& states) {
             return ids(b.variables(std::move(name), wholes(states, "variables: states").values));
           })
      .def("find",
           [](const GraphBuilder& b, const std::string& name) {
             const auto found = b.names().find(name);
             if (!found) {
               throw Error(ErrorCode::model, fmt::format("variable '{}'", name),
                           "there is none of that name");
             }
             return *found;
           })
      .def("unary", &unary)
      .def("constant", &GraphBuilder::constant)
      .def("factors", &factors)
      .def_property_readonly("num_variables", &GraphBuilder::num_variables)
      .def_property_readonly("num_factors", &GraphBuilder::num_factors)
      .def("build",
           [](GraphBuilder& b) { return std::make_shared<FactorGraph>(std::move(b).build()); });
}

}  // namespace fgnn::python
