// Potentials of all kinds, as one class of Python.
#include "fgnn/potentials/potentials.h"

#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/potentials/text.h"
#include "python/binding/arrays.h"
#include "python/binding/potentials.h"

namespace fgnn::python {
namespace {

template <class Kind>
SharedPotential share(Kind potential) {
  return {std::make_shared<const Kind>(std::move(potential))};
}

std::vector<State> shape_of(const py::array& array) {
  return {array.shape(), array.shape() + array.ndim()};
}

SharedPotential table(const Doubles& values) {
  const auto all = numbers(values);
  return share(Table(shape_of(values), {all.begin(), all.end()}));
}

SharedPotential sparse(std::vector<State> shape, const py::object& rows, const Doubles& values,
                       double otherwise) {
  const auto all = numbers(values);
  return share(Sparse(std::move(shape), otherwise, wholes(rows, "sparse: rows").values,
                      {all.begin(), all.end()}));
}

SharedPotential count(std::vector<double> values, double beyond, Counting::Chosen chosen) {
  return share(Count(std::move(values), beyond, std::move(chosen)));
}

SharedPotential counting(const std::string& word, std::size_t k, Counting::Chosen chosen) {
  if (word == "at-most") return share(Count::at_most(k, std::move(chosen)));
  if (word == "at-least") return share(Count::at_least(k, std::move(chosen)));
  return share(Count::exactly(k, std::move(chosen)));
}

SharedPotential low_rank(std::vector<State> shape, std::vector<double> factors,
                         const std::vector<Doubles>& weights, double log_scale) {
  std::vector<std::vector<double>> rows;
  for (const Doubles& w : weights) rows.emplace_back(numbers(w).begin(), numbers(w).end());
  return share(LowRank(std::move(shape), std::move(factors), std::move(rows), log_scale));
}

SharedPotential robust_potts(double otherwise, const std::vector<std::pair<double, double>>& rows) {
  std::vector<RobustPotts::Label> labels;
  for (const auto& [best, slope] : rows) labels.push_back({best, slope});
  return share(RobustPotts(otherwise, std::move(labels)));
}

// What stands behind the colon of a factor in the format .fgt.
SharedPotential from_text(const std::string& text, const std::optional<std::vector<State>>& shape) {
  std::istringstream in(text);
  TokenReader tokens(in, "potential", Comments::hash);
  ReadBudget budget(tokens, {});
  const Shape scope = shape ? Shape(*shape) : Shape();
  return {read_potential(tokens, budget, shape ? &scope : nullptr)};
}

py::array expanded(const SharedPotential& p, std::vector<State> shape) {
  if (const std::string why = p->misfit(shape); !why.empty()) {
    throw Error(ErrorCode::model, std::string(p->kind()), why);
  }
  Table table = expand(*p, shape);
  return given_away(std::vector<double>(table.values()), {shape.begin(), shape.end()});
}

double score(const SharedPotential& p, const py::object& states, const std::vector<State>& shape) {
  const std::vector<State> x = wholes(states, "states").values;
  if (const std::string why = p->misfit(shape); !why.empty()) {
    throw Error(ErrorCode::model, std::string(p->kind()), why);
  }
  bool fits = x.size() == shape.size();
  for (std::size_t j = 0; fits && j < x.size(); ++j) fits = x[j] < shape[j];
  if (!fits) throw Error(ErrorCode::model, "states", "do not fit the shape");
  return p->score(x);
}

}  // namespace

void add_potentials(py::module_& m) {
  py::class_<SharedPotential>(m, "Potential",
                              "A function of the states of some variables, as logarithms.\n\n"
                              "Made by table(), count(), parity() and the other functions.")
      .def_property_readonly(
          "kind", [](const SharedPotential& p) { return std::string(p->kind()); },
          "Such as 'table', 'count' or 'parity'.")
      .def("table", &expanded, py::arg("shape"),
           "All log-values, for variables with these numbers of states.")
      .def("score", &score, py::arg("states"), py::arg("shape"),
           "The log-value of one joint state.")
      .def("__eq__",
           [](const SharedPotential& a, const SharedPotential& b) { return a->equals(*b); })
      .def("__repr__",
           [](const SharedPotential& p) { return fmt::format("<fgnn.Potential {}>", p->kind()); });
  m.def("table", &table);
  m.def("sparse", &sparse);
  m.def("count", &count);
  m.def("counting", &counting);
  m.def("parity", [](bool odd) { return share(Parity(odd)); });
  m.def("all_different", [] { return share(AllDifferent()); });
  m.def("low_rank", &low_rank);
  m.def("max_rank_one", [](std::vector<State> shape, std::vector<std::vector<double>> terms) {
    return share(MaxRankOne(std::move(shape), std::move(terms)));
  });
  m.def("robust_potts", &robust_potts);
  m.def("potential_of_text", &from_text);
  m.def("potential_kinds", [] {
    py::list all;
    for (const PotentialKind& kind : potential_kinds()) {
      all.append(py::make_tuple(kind.name, kind.formula, kind.memory));
    }
    return all;
  });
}

}  // namespace fgnn::python
