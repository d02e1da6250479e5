// Networks: made, loaded, saved, looked at, run.
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/run.h"
#include "python/binding/networks.h"
#include "python/binding/running.h"

namespace fgnn::python {
namespace {

using network::Model;

SharedModel make(const std::string& text, const SharedGraphs& graphs, std::uint64_t seed) {
  network::Description description = description_of(text);
  if (graphs) description.schema = graphs->schema;
  return std::make_shared<Model>(std::move(description), seed);
}

SharedModel load(const std::string& file_or_name) {
  return std::make_shared<Model>(learned::load_network(file_or_name));
}

DType type_of(const std::string& name) {
  const std::map<std::string, DType> known{
      {"f16", DType::f16}, {"f32", DType::f32}, {"f64", DType::f64}};
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  throw Error(ErrorCode::usage, fmt::format("dtype '{}'", name), "is not f16, f32 or f64");
}

py::list parameters(const Model& model) {
  py::list all;
  for (const auto& p : model.program.parameters) {
    all.append(py::make_tuple(p.name, py::tuple(py::cast(p.shape)), p.trained));
  }
  return all;
}

std::size_t number_of(const Model& model, const std::string& name) {
  const auto& all = model.program.parameters;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
  }
  throw py::key_error(name);
}

Lengths shape_of(const network::Parameter& p) { return {p.shape.begin(), p.shape.end()}; }

py::array weight(const py::object& self, const std::string& name) {
  auto& model = self.cast<Model&>();
  const std::size_t i = number_of(model, name);
  return shown(std::span<double>(model.weights[i]), shape_of(model.program.parameters[i]), self);
}

void set_weight(Model& model, const std::string& name, const Doubles& values) {
  const std::size_t i = number_of(model, name);
  const Lengths want = shape_of(model.program.parameters[i]);
  if (!std::equal(want.begin(), want.end(), values.shape(), values.shape() + values.ndim())) {
    throw Error(ErrorCode::usage, name,
                fmt::format("is of shape {}", fmt::join(model.program.parameters[i].shape, " x ")));
  }
  std::ranges::copy(numbers(values), model.weights[i].begin());
}

py::array run_model(const Model& model, const Graphs& graphs, int threads) {
  check_schema(model.description.schema, graphs.schema);
  std::vector<float> rows = run(py::none(), [&](const Control& control) {
    network::Runner<float> runner(model);
    const Budget budget("network", Budget::kNoLimit, Deadline(kInfinity, {}, control.stop));
    const auto out = runner.run(graphs.batch, threads > 0 ? threads : default_threads(), budget);
    return std::vector<float>(out.begin(), out.end());
  });
  return given_away(std::move(rows), output_shape(model.program, graphs.batch));
}

}  // namespace

network::Description description_of(const std::string& text) {
  return text.starts_with('{') ? network::Description::parse(text, "description")
                               : network::describe(text);
}

void add_models(py::module_& m) {
  py::class_<Model, SharedModel>(m, "Model")
      .def(py::init(&make))
      .def("save",
           [](const Model& model, const std::string& file, const std::string& dtype) {
             network::save_model(file, model, type_of(dtype));
           })
      .def_property_readonly("description",
                             [](const Model& model) { return model.description.json(); })
      .def_property(
          "metadata", [](const Model& model) { return model.metadata; },
          [](Model& model, std::map<std::string, std::string> all) {
            model.metadata = std::move(all);
          })
      .def_property_readonly("parameters", &parameters)
      .def_property_readonly("trained_numbers",
                             [](const Model& model) { return model.program.trained_numbers(); })
      .def("weight", &weight)
      .def("set_weight", &set_weight)
      .def("run", &run_model);
  m.def("load_model", &load);
  m.def("presets", [] {
    py::list all;
    for (const auto& p : network::presets()) {
      all.append(py::make_tuple(p.name, p.description, p.json));
    }
    return all;
  });
  m.def("shipped_networks", &learned::shipped_networks);
}

}  // namespace fgnn::python
