// Factor graphs: their parts as arrays on the graph's own memory, files, scores.
#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/graph/statistics.h"
#include "fgnn/io/fgt.h"
#include "fgnn/io/files.h"
#include "python/binding/arrays.h"
#include "python/binding/evidence.h"
#include "python/binding/potentials.h"
#include "python/binding/running.h"

namespace fgnn::python {
namespace {

using Graph = std::shared_ptr<FactorGraph>;

Graph share(FactorGraph graph) { return std::make_shared<FactorGraph>(std::move(graph)); }

const FactorGraph& graph_of(const py::object& self) { return self.cast<const FactorGraph&>(); }

FactorId factor(const FactorGraph& graph, std::int64_t c) {
  if (c < 0 || static_cast<std::size_t>(c) >= graph.num_factors()) {
    throw Error(ErrorCode::model, fmt::format("factor {}", c),
                fmt::format("the graph has {} factors", graph.num_factors()));
  }
  return static_cast<FactorId>(c);
}

py::array scope(const py::object& self, std::int64_t c) {
  const FactorGraph& graph = graph_of(self);
  return shown_only(graph.scope(factor(graph, c)), self);
}

// The variables of all edges, factor by factor.
py::array edge_variables(const py::object& self) {
  const FactorGraph& graph = graph_of(self);
  if (graph.num_factors() == 0) return shown_only(std::span<const VariableId>(), self);
  return shown_only(std::span<const VariableId>(graph.scope(0).data(), graph.num_edges()), self);
}

py::array first_edges(const FactorGraph& graph) {
  std::vector<EdgeId> first(graph.num_factors() + 1, static_cast<EdgeId>(graph.num_edges()));
  for (FactorId c = 0; c < graph.num_factors(); ++c) first[c] = graph.first_edge(c);
  return given_away(std::move(first));
}

double score(const FactorGraph& graph, const py::object& states) {
  return graph.score(wholes(states, "assignment").values);
}

FactorGraph with_unaries(const FactorGraph& graph, const py::object& given) {
  const auto values = numbers(given.cast<Doubles>());
  return graph.with_unaries({values.begin(), values.end()});
}

py::dict statistics_of(const FactorGraph& graph) {
  const Statistics s = statistics(graph);
  const auto range = [](const Range& r) { return py::make_tuple(r.min, r.mean, r.max); };
  py::dict all;
  all["variables"] = s.variables;
  all["factors"] = s.factors;
  all["edges"] = s.edges;
  all["states"] = range(s.states);
  all["arity"] = range(s.arity);
  all["degree"] = range(s.degree);
  all["components"] = s.components;
  all["forest"] = s.forest;
  all["factors_by_kind"] = s.factors_by_kind;
  all["bytes"] = s.bytes;
  return all;
}

Graph read(const std::string& file, const std::string& format, std::uint64_t max_bytes,
           double time_limit) {
  return run(py::none(), [&](const Control& control) {
    const Deadline clock(time_limit, {}, control.stop);
    ReadLimits limits;
    limits.max_bytes = max_bytes;
    limits.deadline = &clock;
    return share(read_graph(file, format, limits));
  });
}

std::string text(const FactorGraph& graph) {
  std::ostringstream out;
  write_fgt(out, graph);
  return out.str();
}

Graph parse(const std::string& text) {
  std::istringstream in(text);
  return share(read_fgt(in, "text"));
}

void add_arrays(py::class_<FactorGraph, Graph>& c) {
  c.def_property_readonly("num_variables", &FactorGraph::num_variables, "How many variables.")
      .def_property_readonly("num_factors", &FactorGraph::num_factors, "How many factors.")
      .def_property_readonly("num_edges", &FactorGraph::num_edges,
                             "How many pairs of a factor and a variable of its scope.")
      .def_property_readonly("constant", &FactorGraph::constant, "What every score has on top.")
      .def_property_readonly(
          "states",
          [](const py::object& self) { return shown_only(graph_of(self).states(), self); },
          "The number of states of each variable, as an array.")
      .def_property_readonly(
          "unaries",
          [](const py::object& self) {
            const FactorGraph& graph = graph_of(self);
            return by_variable(graph.unaries(), graph.states(), self);
          },
          "Log-potentials of single variables: a matrix with a row per variable where all have\n"
          "equally many states, else a list of arrays.")
      .def_property_readonly("edge_variables", &edge_variables,
                             "The scopes of all factors, one after another, as one array.")
      .def_property_readonly(
          "first_edges", &first_edges,
          "Where the scope of each factor begins in edge_variables, and the end.")
      .def("scope", &scope, py::arg("factor"), "The variables of a factor, as an array.")
      .def(
          "potential",
          [](const FactorGraph& graph, std::int64_t number) {
            return SharedPotential{
                graph.shared_potential(graph.potential_index(factor(graph, number)))};
          },
          py::arg("factor"), "The potential of a factor.")
      .def(
          "shape",
          [](const FactorGraph& graph, std::int64_t number) {
            return py::tuple(py::cast(graph.shape(factor(graph, number))));
          },
          py::arg("factor"), "The numbers of states of a factor's variables.");
}

void add_names(py::class_<FactorGraph, Graph>& c) {
  c.def(
       "name",
       [](const FactorGraph& graph, const py::object& v) {
         return graph.name(variable_of(graph, v));
       },
       py::arg("variable"), "The name of a variable.")
      .def("find", &variable_of, py::arg("name"), "The number of the variable of this name.")
      .def_property_readonly(
          "names",
          [](const FactorGraph& graph) {
            py::list names(graph.num_variables());
            for (VariableId v = 0; v < graph.num_variables(); ++v) {
              names[v] = py::str(graph.name(v));
            }
            return names;
          },
          "The names of all variables.")
      .def("__repr__",
           [](const FactorGraph& graph) {
             return fmt::format("<fgnn.FactorGraph: {} variables, {} factors, {} edges>",
                                graph.num_variables(), graph.num_factors(), graph.num_edges());
           })
      .def("__eq__", [](const FactorGraph& a, const FactorGraph& b) { return a == b; })
      .def("same_structure", &FactorGraph::same_structure, py::arg("other"),
           "Whether the other has the same variables, states and scopes.");
}

}  // namespace

void add_graphs(py::module_& m) {
  py::class_<FactorGraph, Graph> c(
      m, "FactorGraph",
      "Variables with finitely many states, and factors on them; never changes.\n\n"
      "p(x) is proportional to exp(constant + sum of unaries + sum of the factors' log-values).\n"
      "Made by a Builder, or read from a file by read().\n\n"
      ">>> import numpy as np, fgnn\n"
      ">>> b = fgnn.Builder()\n"
      ">>> x = b.variables('x', 3, 2)\n"
      ">>> b.factors([[0, 1], [1, 2]], np.log([[2.0, 1.0], [1.0, 2.0]]))\n"
      ">>> g = b.build()\n"
      ">>> g\n"
      "<fgnn.FactorGraph: 3 variables, 2 factors, 4 edges>\n"
      ">>> g.scope(1)\n"
      "array([1, 2], dtype=uint32)\n"
      ">>> bool(np.isclose(g.score([0, 0, 1]), np.log(2)))\n"
      "True\n");
  c.def(py::init<>());
  add_arrays(c);
  add_names(c);
  c.def("score", &score, py::arg("assignment"),
        "The logarithm of the unnormalised probability of a state for each variable.")
      .def(
          "given",
          [](const FactorGraph& graph, const py::object& evidence) {
            return share(graph.given(evidence_of(graph, evidence)));
          },
          py::arg("evidence"), "The graph with the evidence folded into its unaries.")
      .def(
          "with_unaries",
          [](const FactorGraph& graph, const py::object& unaries) {
            return share(with_unaries(graph, unaries));
          },
          py::arg("unaries"),
          "The same graph with other unaries, all of them in the order of variables; everything\n"
          "else is shared.")
      .def(
          "save",
          [](const FactorGraph& graph, const std::string& file, const std::string& format) {
            const py::gil_scoped_release others_may_run;
            write_graph(graph, file, format);
          },
          py::arg("file"), py::arg("format") = "",
          "Writes a file; its ending tells the format (formats()) where none is given.")
      .def("statistics", &statistics_of, "Sizes, degrees, components and kinds, as a dictionary.")
      .def("text", &text, "The graph in the format .fgt, which parse() reads back.")
      .def("__reduce__", [](const FactorGraph& graph) {
        return py::make_tuple(py::module_::import("fgnn").attr("parse"),
                              py::make_tuple(text(graph)));
      });
  m.def("read", &read);
  m.def("parse", &parse);
  m.def("read_evidence", [](const FactorGraph& graph, const std::string& file) {
    return dictionary(read_evidence(graph, file));
  });
  m.def("formats", [] {
    py::list all;
    for (const FormatInfo& f : graph_formats()) {
      all.append(py::make_tuple(f.name, f.ending, f.description));
    }
    return all;
  });
}

}  // namespace fgnn::python
