// Plans of exact elimination, certificates, and several methods side by side.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "fgnn/core/error.h"
#include "fgnn/infer/certificate.h"
#include "fgnn/infer/compare.h"
#include "fgnn/infer/exact.h"
#include "fgnn/report/comparison.h"
#include "python/binding/arrays.h"
#include "python/binding/evidence.h"
#include "python/binding/results.h"
#include "python/binding/running.h"

namespace fgnn::python {
namespace {

struct Plan {
  Graph graph;  // for which it was made
  ExactPlan plan;
};

ExactTask task_of(const std::string& name) {
  if (name == "marginals") return ExactTask::marginals;
  if (name == "map") return ExactTask::map;
  if (name == "k_best") return ExactTask::k_best;
  throw Error(ErrorCode::usage, fmt::format("task '{}'", name), "is not marginals, map or k_best");
}

std::shared_ptr<Plan> make_plan(const Graph& graph, const std::string& task, bool prune, int orders,
                                std::uint64_t max_bytes, double time_limit, int threads,
                                std::uint64_t seed) {
  ExactOptions options;
  options.prune = prune;
  options.orders = orders;
  options.max_bytes = max_bytes;
  options.time_limit = time_limit;
  options.threads = threads;
  options.seed = seed;
  const ExactTask for_this = task_of(task);
  return run(py::none(), [&](const Control& control) {
    options.control = control;
    return std::make_shared<Plan>(Plan{graph, ExactPlan(*graph, for_this, options)});
  });
}

// `solve` gets the graph with the evidence folded in. The plan keeps no control: only its time
// limit, counted from now, and Ctrl-C end it.
template <class Solve>
std::shared_ptr<Answer> solved(const Plan& plan, const Graph& other, const py::object& evidence,
                               double time_limit, Solve&& solve) {
  const Graph& graph = other ? other : plan.graph;
  Answer answer{{}, graph, evidence_of(*graph, evidence)};
  run(py::none(), [&](const Control& control) {
    const Deadline deadline(time_limit, {}, control.stop);
    answer.result = answer.evidence.empty() ? solve(*graph, deadline)
                                            : solve(graph->given(answer.evidence), deadline);
    return true;
  });
  if (answer.result.status == Status::infeasible) {
    throw Error(ErrorCode::infeasible, "graph", answer.result.message);
  }
  return std::make_shared<Answer>(std::move(answer));
}

py::dict cost_of(const ExactCost& cost) {
  py::dict all;
  all["induced_width"] = cost.induced_width;
  all["log2_largest"] = cost.log2_largest;
  all["operations"] = cost.operations;
  all["bytes"] = cost.bytes;
  all["extra_variables"] = cost.extra_variables;
  return all;
}

void add_plan(py::module_& m) {
  py::class_<Plan, std::shared_ptr<Plan>>(
      m, "ExactPlan",
      "How to eliminate the variables of a graph, found once and used many times.\n\n"
      "task: 'marginals', 'map' or 'k_best'. With prune=False the plan is good for every graph of\n"
      "the same structure, such as graph.with_unaries(…).\n\n"
      ">>> import numpy as np, fgnn\n"
      ">>> b = fgnn.Builder()\n"
      ">>> x = b.variables('x', 3, 2)\n"
      ">>> b.factors([[0, 1], [1, 2]], np.array([[1.0, 0.0], [0.0, 1.0]]))\n"
      ">>> g = b.build()\n"
      ">>> plan = fgnn.ExactPlan(g, 'map', prune=False)\n"
      ">>> plan.cost['induced_width']\n"
      "1\n"
      ">>> plan.map(g.with_unaries([[0, 0], [0, 3], [0, 0]])).assignment\n"
      "array([1, 1, 1], dtype=uint32)\n")
      .def(py::init(&make_plan), py::arg("graph"), py::arg("task") = "marginals", py::kw_only(),
           py::arg("prune") = true, py::arg("orders") = ExactOptions().orders,
           py::arg("max_bytes") = ExactOptions().max_bytes, py::arg("time_limit") = kInfinity,
           py::arg("threads") = 0, py::arg("seed") = 0)
      .def_property_readonly(
          "cost", [](const Plan& p) { return cost_of(p.plan.cost()); },
          "What solving costs, known beforehand, as a dictionary.")
      .def(
          "marginals",
          [](const Plan& p, const Graph& graph, const py::object& evidence, double limit) {
            return solved(p, graph, evidence, limit, [&](const FactorGraph& g, const Deadline& d) {
              return p.plan.marginals(g, d);
            });
          },
          py::arg("graph") = nullptr, py::arg("evidence") = py::none(), py::kw_only(),
          py::arg("time_limit") = kInfinity,
          "Marginals and the partition function of this graph, or of the plan's own.")
      .def(
          "map",
          [](const Plan& p, const Graph& graph, std::size_t k, const py::object& evidence,
             double limit) {
            return solved(p, graph, evidence, limit, [&](const FactorGraph& g, const Deadline& d) {
              return p.plan.map(g, k, d);
            });
          },
          py::arg("graph") = nullptr, py::arg("k") = 1, py::arg("evidence") = py::none(),
          py::kw_only(), py::arg("time_limit") = kInfinity,
          "The best assignment of this graph, or of the plan's own; the k best of a plan for\n"
          "'k_best'.");
}

py::dict certified(const Graph& graph, const py::object& assignment, const std::string& method,
                   const py::object& evidence, double time_limit, int threads, std::uint64_t seed) {
  const std::vector<State> states = wholes(assignment, "assignment").values;
  const Evidence observed = evidence_of(*graph, evidence);
  const Certificate c = run(py::none(), [&](const Control& control) {
    MethodLimits limits;
    limits.time_limit = time_limit;
    limits.threads = threads;
    limits.seed = seed;
    limits.control = control;
    return certify(*graph, states, method, observed, limits);
  });
  py::dict all;
  all["method"] = c.method;
  all["bound"] = c.bound;
  all["gap"] = c.gap;
  all["proved"] = c.proved;
  all["seconds"] = c.seconds;
  return all;
}

py::dict row_of(const ComparisonRow& r) {
  py::dict row;
  row["method"] = r.method;
  row["instances"] = r.instances;
  row["answered"] = r.answered;
  if (!r.status.empty()) row["status"] = r.status;
  row["agreement"] = r.agreement;
  row["agreement_error"] = r.agreement_error;
  row["exact_instances"] = r.exact_instances;
  row["feasible"] = r.feasible;
  row["settled"] = r.settled;
  row["score"] = r.score;
  row["bound"] = r.bound;
  row["score_gap"] = r.score_gap;
  row["bound_gap"] = r.bound_gap;
  row["iterations"] = r.iterations;
  row["microseconds"] = r.microseconds;
  return row;
}

py::tuple compare(const std::vector<Graph>& graphs, const std::string& methods,
                  const py::object& evidence, double time_limit, int threads, std::uint64_t seed) {
  MethodOptions common;
  common.time_limit = time_limit;
  common.threads = threads;
  common.seed = seed;
  std::vector<Evidence> observed;
  for (const Graph& graph : graphs) observed.push_back(evidence_of(*graph, evidence));
  const std::vector<ComparisonRow> rows = run(py::none(), [&](const Control& control) {
    common.control = control;
    Comparison comparison(parse_variants(Query::map, methods, common));
    for (std::size_t i = 0; i < graphs.size(); ++i) comparison.add(*graphs[i], observed[i]);
    return comparison.rows();
  });
  py::list all;
  for (const ComparisonRow& row : rows) all.append(row_of(row));
  return py::make_tuple(all, comparison_table(rows).text());
}

}  // namespace

void add_plans(py::module_& m) {
  add_plan(m);
  m.def("certify", &certified);
  m.def("compare", &compare);
}

}  // namespace fgnn::python
