#include "python/binding/results.h"

#include <fmt/format.h>

#include <string>

#include "fgnn/core/error.h"
#include "fgnn/infer/belief_propagation.h"
#include "python/binding/arrays.h"

namespace fgnn::python {
namespace {

using SharedAnswer = std::shared_ptr<Answer>;

const Answer& answer_of(const py::object& self) { return self.cast<const Answer&>(); }

py::dict dictionary(const Fields& fields) {
  py::dict all;
  for (const Field& field : fields) all[py::str(field.name)] = field.value;
  return all;
}

py::object marginals(const py::object& self) {
  const Answer& a = answer_of(self);
  if (a.result.marginals.empty()) return py::none();
  return by_variable(a.result.marginals.values(), a.graph->states(), self);
}

py::object assignment(const py::object& self) {
  const Answer& a = answer_of(self);
  if (a.result.assignment.empty() && a.graph->num_variables() > 0) return py::none();
  return shown_only(std::span<const State>(a.result.assignment), self);
}

py::list solutions(const py::object& self) {
  py::list all;
  for (const Solution& s : answer_of(self).result.solutions) {
    all.append(py::make_tuple(s.score, shown_only(std::span<const State>(s.assignment), self)));
  }
  return all;
}

py::list trace(const Answer& a) {
  py::list all;
  for (const TracePoint& p : a.result.trace) {
    all.append(py::make_tuple(p.seconds, p.score, p.bound));
  }
  return all;
}

py::list tried(const Answer& a) {
  py::list all;
  for (const Trial& t : a.result.tried) {
    py::dict one;
    one["method"] = t.method;
    one["outcome"] = t.outcome;
    one["score"] = t.score;
    one["bound"] = t.bound;
    one["seconds"] = t.seconds;
    all.append(one);
  }
  return all;
}

py::dict phases(const Answer& a) {
  py::dict all;
  for (const Phase& phase : a.result.phases) all[py::str(std::string(phase.name))] = phase.seconds;
  return all;
}

// ---- messages ----

std::span<double> row_of(const SharedMessages& m, std::int64_t edge) {
  if (edge < 0 || static_cast<std::size_t>(edge) >= m.graph->num_edges()) {
    throw py::index_error(fmt::format("the graph has {} edges", m.graph->num_edges()));
  }
  return (*m.held)[static_cast<EdgeId>(edge)];
}

py::array belief(const FactorGraph& graph, const Messages& messages, std::int64_t factor,
                 double temperature) {
  if (factor < 0 || static_cast<std::size_t>(factor) >= graph.num_factors()) {
    throw Error(ErrorCode::model, fmt::format("factor {}", factor),
                fmt::format("the graph has {} factors", graph.num_factors()));
  }
  if (!messages.fits(graph)) {
    throw Error(ErrorCode::unsupported, "factor belief", "needs messages",
                "solve by sum_product() or max_product()");
  }
  const auto c = static_cast<FactorId>(factor);
  const std::vector<State> shape = graph.shape(c);
  return given_away(factor_belief(graph, messages, c, temperature), {shape.begin(), shape.end()});
}

py::array belief_of(const Answer& a, std::int64_t factor, double temperature) {
  if (a.evidence.empty()) return belief(*a.graph, a.result.messages, factor, temperature);
  return belief(a.graph->given(a.evidence), a.result.messages, factor, temperature);
}

void add_messages(py::module_& m) {
  py::class_<SharedMessages>(m, "Messages",
                             "Log-messages from factors to variables, one row per edge.\n\n"
                             "Made from a graph (all zero), or those of a result. They can be read "
                             "and changed, and\nbe where sum_product() and max_product() start "
                             "(warm=).")
      .def(py::init([](const Graph& graph) {
             return SharedMessages{std::make_shared<Messages>(*graph), graph};
           }),
           py::arg("graph"))
      .def_property_readonly(
          "values",
          [](const py::object& self) {
            return shown(self.cast<const SharedMessages&>().values(), self);
          },
          "All of them in one array: the states of edge 0, of edge 1, …")
      .def("__len__", [](const SharedMessages& s) { return s.graph->num_edges(); })
      .def("__getitem__",
           [](const py::object& self, std::int64_t edge) {
             return shown(row_of(self.cast<const SharedMessages&>(), edge), self);
           })
      .def(
          "copy",
          [](const SharedMessages& s) {
            return SharedMessages{std::make_shared<Messages>(*s.held), s.graph};
          },
          "Messages of their own memory.")
      .def(
          "factor_belief",
          [](const SharedMessages& s, std::int64_t c, double temperature) {
            return belief(*s.graph, *s.held, c, temperature);
          },
          py::arg("factor"), py::arg("temperature") = 1.0,
          "The probabilities of a factor's joint states, given these messages.");
}

}  // namespace

std::span<double> SharedMessages::values() const {
  if (graph->num_edges() == 0 || held->empty()) return {};
  return {(*held)[0].data(), held->values().size()};
}

std::shared_ptr<Messages> warm_start(const py::object& given) {
  if (given.is_none()) return nullptr;
  if (py::isinstance<Answer>(given)) {
    const auto answer = given.cast<SharedAnswer>();
    return {answer, &answer->result.messages};
  }
  return given.cast<SharedMessages>().held;
}

void add_results(py::module_& m) {
  add_messages(m);
  const auto of = [](auto member) {
    return [member](const Answer& a) { return a.result.*member; };
  };
  py::class_<Answer, SharedAnswer>(
      m, "Result",
      "An answer, what is known of its quality, and how it went.\n\n"
      "Arrays are on the result's own memory and cannot be written to.")
      .def_property_readonly(
          "status", [](const Answer& a) { return std::string(name(a.result.status)); },
          "exact, converged, iteration limit, time limit, diverged or interrupted.")
      .def_property_readonly("method", of(&Result::method), "Which method gave the answer.")
      .def_property_readonly("message", of(&Result::message),
                             "What to know about the answer; empty when all is well.")
      .def_property_readonly(
          "graph", [](const Answer& a) { return a.graph; }, "What was solved.")
      .def_property_readonly(
          "marginals", &marginals,
          "The probability of each state of each variable: a matrix where all variables have\n"
          "equally many states, else a list of arrays. None where the method gives none.")
      .def_property_readonly("log_partition", of(&Result::log_partition),
                             "The natural logarithm of the partition function, or None. Of belief\n"
                             "propagation it is the Bethe approximation.")
      .def_property_readonly("assignment", &assignment, "A state for each variable, or None.")
      .def_property_readonly("score", of(&Result::score), "The log-score of the assignment.")
      .def_property_readonly("bound", of(&Result::bound), "No assignment scores higher.")
      .def_property_readonly(
          "gap", [](const Answer& a) { return a.result.gap(); },
          "bound - score: 0 proves the assignment best.")
      .def_property_readonly(
          "feasible", [](const Answer& a) { return a.result.feasible(); },
          "Whether the assignment is allowed.")
      .def_property_readonly("solutions", &solutions,
                             "The k best as pairs of a score and an assignment, best first.")
      .def_property_readonly(
          "messages",
          [](const SharedAnswer& a) {
            return SharedMessages{{a, &a->result.messages}, a->graph};
          },
          "Messages of belief propagation, on the result's own memory.")
      .def_property_readonly(
          "residuals",
          [](const py::object& self) {
            return shown_only(std::span<const double>(answer_of(self).result.residuals), self);
          },
          "The largest change of a message, by iteration.")
      .def_property_readonly("trace", &trace, "When there was which (seconds, score, bound).")
      .def_property_readonly("tried", &tried, "Of method 'auto': what was tried, in turn.")
      .def_property_readonly("iterations", of(&Result::iterations), "Passes over the graph.")
      .def_property_readonly("seconds", of(&Result::seconds), "How long it took.")
      .def_property_readonly("phases", &phases, "Seconds by phase.")
      .def_property_readonly(
          "options_given", [](const Answer& a) { return dictionary(a.result.options.given()); },
          "The options as they were given.")
      .def_property_readonly(
          "options_used", [](const Answer& a) { return dictionary(a.result.options.used()); },
          "The options that the method went by.")
      .def("factor_belief", &belief_of, py::arg("factor"), py::arg("temperature") = 1.0,
           "The probabilities of a factor's joint states, of belief propagation.")
      .def(
          "report", [](const Answer& a) { return a.result.full_report(); },
          "All but the answer itself, as text.")
      .def("__repr__", [](const Answer& a) {
        return fmt::format("<fgnn.Result {}>", a.result.brief_report());
      });
}

}  // namespace fgnn::python
