// Graphs for networks, from arrays: a structure, and features of one or many copies of it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "fgnn/core/error.h"
#include "python/binding/networks.h"

namespace fgnn::python {
namespace {

using network::Batch;
using network::Index;
using network::Relation;

std::vector<Index> indices(const py::object& given, const std::string& what) {
  std::vector<Index> all;
  for (const std::uint32_t value : wholes(given, what).values) {
    all.push_back(static_cast<Index>(value));
  }
  return all;
}

std::vector<std::size_t> offsets(const py::object& given) {
  if (given.is_none()) return {};
  const auto all = wholes(given, "offsets of graphs").values;
  return {all.begin(), all.end()};
}

// Numbers by copy (where there is such an axis), row and feature.
struct Features {
  std::vector<double> values;
  std::size_t copies = 1, rows = 0, width = 0;

  Features(const py::object& given, const std::string& what) {
    if (given.is_none()) return;
    const auto array = given.cast<Doubles>();
    const auto dims = array.ndim();
    if (dims != 2 && dims != 3) {
      throw Error(ErrorCode::usage, what,
                  "need an axis of rows and one of features, behind one of copies where there are");
    }
    if (dims == 3) copies = static_cast<std::size_t>(array.shape(0));
    rows = static_cast<std::size_t>(array.shape(dims - 2));
    width = static_cast<std::size_t>(array.shape(dims - 1));
    const auto all = numbers(array);
    values.assign(all.begin(), all.end());
  }

  // As many copies as there should be: those of one are repeated.
  void fit(std::size_t count, std::size_t should_have, const std::string& what) {
    if (width > 0 && rows != should_have) {
      throw Error(ErrorCode::usage, what,
                  fmt::format("have {} rows where {} are wanted", rows, should_have));
    }
    if (copies == count || width == 0) return;
    if (copies != 1) {
      throw Error(ErrorCode::usage, what, fmt::format("are of {} copies, not {}", copies, count));
    }
    const std::vector<double> one = std::move(values);
    values.clear();
    for (std::size_t i = 0; i < count; ++i) values.insert(values.end(), one.begin(), one.end());
    copies = count;
  }
};

// The features of a structure. `names` are those of relations.
SharedGraphs with_features(std::shared_ptr<const network::Structure> structure,
                           const std::vector<std::string>& names, const py::object& variable,
                           const py::list& factor, const py::list& edge, const py::list& mask) {
  const auto& relations = structure->relations();
  Features variables(variable, "variable features");
  std::vector<Features> factors, edges;
  for (std::size_t r = 0; r < relations.size(); ++r) {
    factors.emplace_back(factor[r], "factor features of " + names[r]);
    edges.emplace_back(edge[r], "edge features of " + names[r]);
  }
  std::size_t copies = variables.copies;
  for (const auto* each : {&factors, &edges}) {
    for (const Features& f : *each) copies = std::max(copies, f.copies);
  }
  auto graphs = std::make_shared<Graphs>();
  Batch& batch = graphs->batch;
  batch.structure = structure;
  batch.copies = copies;
  variables.fit(copies, structure->variables(), "variable features");
  graphs->schema.variable_features = variables.width;
  batch.variable = std::move(variables.values);
  for (std::size_t r = 0; r < relations.size(); ++r) {
    factors[r].fit(copies, relations[r].factors, "factor features of " + names[r]);
    edges[r].fit(relations[r].own_kinds ? copies : 1, relations[r].kinds,
                 "edge features of " + names[r]);
    network::RelationFeatures features;
    features.factor = std::move(factors[r].values);
    features.edge = std::move(edges[r].values);
    if (!mask[r].is_none()) {
      const auto given = mask[r].cast<Bytes>();
      const std::size_t one = relations[r].edges(), size = static_cast<std::size_t>(given.size());
      if (size != one && size != copies * one) {
        throw Error(ErrorCode::usage, "mask of " + names[r], "needs an entry per edge");
      }
      for (std::size_t i = 0; i < copies * one; ++i) {
        features.mask.push_back(given.data()[i % size] != 0);
      }
    }
    batch.relations.push_back(std::move(features));
    graphs->schema.relations.push_back({names[r], factors[r].width,
                                        relations[r].own_kinds ? 1 : relations[r].kinds,
                                        edges[r].width});
  }
  return graphs;
}

// Of a relation: (name, factors, kinds, own kinds, factor, variable and kind by edge, offsets).
SharedGraphs make(std::size_t variables, const py::list& relations, const py::object& offset,
                  const py::object& variable, const py::list& factor, const py::list& edge,
                  const py::list& mask) {
  std::vector<Relation> all;
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> factor_offset;
  for (const auto& item : relations) {
    const auto parts = item.cast<py::tuple>();
    names.push_back(parts[0].cast<std::string>());
    Relation r;
    r.factors = parts[1].cast<std::size_t>();
    r.kinds = parts[2].cast<std::size_t>();
    r.own_kinds = parts[3].cast<bool>();
    r.factor = indices(parts[4], names.back() + ": factors");
    r.variable = indices(parts[5], names.back() + ": variables");
    r.kind = indices(parts[6], names.back() + ": kinds");
    all.push_back(std::move(r));
    if (!offset.is_none()) factor_offset.push_back(offsets(parts[7]));
  }
  return with_features(std::make_shared<const network::Structure>(
                           variables, std::move(all), offsets(offset), std::move(factor_offset)),
                       names, variable, factor, edge, mask);
}

std::vector<std::string> names_of(const Graphs& g) {
  std::vector<std::string> names;
  for (const auto& r : g.schema.relations) names.push_back(r.name);
  return names;
}

// The same structure with other features.
SharedGraphs again(const Graphs& g, const py::object& variable, const py::list& factor,
                   const py::list& edge) {
  py::list mask;
  for (const auto& r : g.batch.relations) {
    const std::size_t one = r.mask.size() / g.batch.copies;
    mask.append(r.mask.empty()
                    ? py::object(py::none())
                    : py::object(given_away(std::vector<std::uint8_t>(
                          r.mask.begin(), r.mask.begin() + static_cast<std::ptrdiff_t>(one)))));
  }
  return with_features(g.batch.structure, names_of(g), variable, factor, edge, mask);
}

SharedGraphs join(const std::vector<SharedGraphs>& all) {
  if (all.empty()) throw Error(ErrorCode::usage, "join", "needs at least one graph");
  std::vector<Batch> batches;
  for (const SharedGraphs& g : all) {
    check_schema(all.front()->schema, g->schema);
    for (std::size_t i = 0; i < g->batch.copies; ++i) batches.push_back(g->batch.some(i, 1));
  }
  return std::make_shared<Graphs>(Graphs{Batch::of(batches), all.front()->schema});
}

// Features by copy, row and number, as arrays on the graphs' memory; None where there are none.
py::object shown_features(const py::object& self, const std::vector<double>& values,
                          std::size_t copies, std::size_t rows, std::size_t width) {
  if (width == 0) return py::none();
  return shown_only(std::span<const double>(values),
                    {static_cast<py::ssize_t>(copies), static_cast<py::ssize_t>(rows),
                     static_cast<py::ssize_t>(width)},
                    self);
}

py::list relations_of(const py::object& self) {
  const auto& g = self.cast<const Graphs&>();
  py::list all;
  for (std::size_t r = 0; r < g.schema.relations.size(); ++r) {
    const Relation& relation = g.batch.structure->relations()[r];
    const auto& features = g.batch.relations[r];
    const auto& schema = g.schema.relations[r];
    py::dict one;
    one["name"] = schema.name;
    one["factors"] = relation.factors;
    one["kinds"] = relation.kinds;
    one["own_kinds"] = relation.own_kinds;
    one["edge_factor"] = shown_only(std::span<const Index>(relation.factor), self);
    one["edge_variable"] = shown_only(std::span<const Index>(relation.variable), self);
    one["edge_kind"] = shown_only(std::span<const Index>(relation.kind), self);
    one["factor"] = shown_features(self, features.factor, g.batch.copies, relation.factors,
                                   schema.factor_features);
    one["edge"] = shown_features(self, features.edge, relation.own_kinds ? g.batch.copies : 1,
                                 relation.kinds, schema.edge_features);
    one["mask"] = features.mask.empty()
                      ? py::object(py::none())
                      : py::object(shown_only(std::span<const std::uint8_t>(features.mask), self));
    one["offset"] = shown_only(g.batch.structure->factor_offset(r), self);
    all.append(one);
  }
  return all;
}

}  // namespace

Lengths output_shape(const network::Program& program, const network::Batch& batch) {
  const network::Register& out = program.registers[program.output];
  const auto width = static_cast<py::ssize_t>(out.width);
  const auto all = static_cast<py::ssize_t>(rows(*batch.structure, batch.copies, out.place));
  if (out.place.rows == network::Place::graph) return {all, width};
  const auto copies = static_cast<py::ssize_t>(batch.copies);
  return {copies, copies > 0 ? all / copies : 0, width};
}

void check_schema(const network::Schema& takes, const network::Schema& given) {
  const auto refuse = [](const std::string& what, std::size_t have, std::size_t want) {
    throw Error(ErrorCode::usage, "graphs",
                fmt::format("have {} {} where {} are wanted", have, what, want));
  };
  if (takes.variable_features != given.variable_features) {
    refuse("variable features", given.variable_features, takes.variable_features);
  }
  if (takes.relations.size() != given.relations.size()) {
    refuse("relations", given.relations.size(), takes.relations.size());
  }
  for (std::size_t r = 0; r < takes.relations.size(); ++r) {
    const auto &want = takes.relations[r], &have = given.relations[r];
    if (want.name != have.name) {
      throw Error(ErrorCode::usage, "graphs",
                  fmt::format("have a relation '{}' where '{}' is wanted", have.name, want.name));
    }
    if (want.factor_features != have.factor_features) {
      refuse("factor features in " + want.name, have.factor_features, want.factor_features);
    }
    if (want.edge_features != have.edge_features) {
      refuse("edge features in " + want.name, have.edge_features, want.edge_features);
    }
  }
}

void add_batches(py::module_& m) {
  py::class_<Graphs, SharedGraphs>(m, "GraphBatch")
      .def(py::init(&make))
      .def("again", &again)
      .def_property_readonly("copies", [](const Graphs& g) { return g.batch.copies; })
      .def_property_readonly("num_graphs", [](const Graphs& g) { return g.batch.graphs(); })
      .def_property_readonly("num_variables",
                             [](const Graphs& g) { return g.batch.structure->variables(); })
      .def_property_readonly("offset",
                             [](const py::object& self) {
                               const auto& g = self.cast<const Graphs&>();
                               return shown_only(g.batch.structure->variable_offset(), self);
                             })
      .def_property_readonly("variable",
                             [](const py::object& self) {
                               const auto& g = self.cast<const Graphs&>();
                               return shown_features(self, g.batch.variable, g.batch.copies,
                                                     g.batch.structure->variables(),
                                                     g.schema.variable_features);
                             })
      .def_property_readonly("relations", &relations_of);
  m.def("join_graphs", &join);
}

}  // namespace fgnn::python
