// Methods by their names, and belief propagation with all of its options.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/words.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/methods.h"
#include "fgnn/report/text.h"
#include "python/binding/evidence.h"
#include "python/binding/results.h"
#include "python/binding/running.h"

namespace fgnn::python {
namespace {

py::object keep(const Answer& answer) { return py::cast(std::make_shared<Answer>(answer)); }

// As the program does: no answer at all is an error.
std::shared_ptr<Answer> checked(Answer answer) {
  if (answer.result.status == Status::infeasible) {
    throw Error(ErrorCode::infeasible, "graph", answer.result.message);
  }
  return std::make_shared<Answer>(std::move(answer));
}

Query query_of(const std::string& name) { return name == "infer" ? Query::infer : Query::map; }

std::shared_ptr<Answer> solve(const Graph& graph, const std::string& query,
                              const std::string& method_name, const py::dict& settings,
                              const py::object& evidence, std::uint64_t max_bytes,
                              double time_limit, int threads, std::uint64_t seed,
                              const py::object& progress) {
  const Method& method = find_method(query_of(query), method_name);
  MethodOptions options;
  for (const auto& [key, value] : settings) {
    method_settings().set(options, key.cast<std::string>(), value.cast<std::string>());
  }
  options.max_bytes = max_bytes;
  options.time_limit = time_limit;
  options.threads = threads;
  options.seed = seed;
  Answer answer{{}, graph, evidence_of(*graph, evidence)};
  return checked(run(
      progress,
      [&](const Control& control) {
        options.control = control;
        answer.result = method.solve(*graph, options, answer.evidence);
        return std::move(answer);
      },
      keep));
}

template <class Value>
void take(const py::dict& given, const char* name, Value& value) {
  const py::str key(name);
  if (given.contains(key)) value = given[key].cast<Value>();
}

BpOptions bp_options(const py::dict& given) {
  BpOptions o;
  take(given, "iterations", o.iterations);
  take(given, "tolerance", o.tolerance);
  take(given, "damping", o.damping);
  take(given, "temperature", o.temperature);
  take(given, "single_precision", o.single_precision);
  take(given, "decimate", o.decimate);
  take(given, "threads", o.threads);
  take(given, "seed", o.seed);
  take(given, "time_limit", o.time_limit);
  std::string schedule;
  take(given, "schedule", schedule);
  if (!schedule.empty()) o.schedule = from_word<Schedule>(schedule);
  return o;
}

std::shared_ptr<Answer> propagate(const Graph& graph, bool maxima, const py::dict& given,
                                  const py::object& evidence, const py::object& warm,
                                  const py::object& progress) {
  BpOptions options = bp_options(given);
  const std::shared_ptr<Messages> start = warm_start(warm);
  Answer answer{{}, graph, evidence_of(*graph, evidence)};
  return checked(run(
      progress,
      [&](const Control& control) {
        options.control = control;
        const auto method = maxima ? max_product : sum_product;
        answer.result = method(*graph, options, answer.evidence, start.get());
        return std::move(answer);
      },
      keep));
}

py::list list_of_methods() {
  py::list all;
  for (const Method& method : methods()) {
    py::dict one;
    one["query"] = std::string(name(method.query));
    one["name"] = method.name;
    one["description"] = method.description;
    one["cost"] = method.cost;
    one["guarantee"] = method.guarantee;
    one["settings"] = method.settings;
    all.append(one);
  }
  return all;
}

}  // namespace

void add_solvers(py::module_& m) {
  m.def("solve", &solve);
  m.def("propagate", &propagate);
  m.def("methods", &list_of_methods);
  m.def("parse_bytes", [](const std::string& text) { return parse_bytes(text); });
}

}  // namespace fgnn::python
