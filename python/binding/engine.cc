// The learner of networks for frameworks that have losses and optimisers of their own: forwards and
// backwards apart, on weights that are arrays on the learner's memory.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/network/learner.h"
#include "fgnn/train/options.h"
#include "python/binding/networks.h"
#include "python/binding/running.h"

namespace fgnn::python {
namespace {

using network::Batch;

template <class T>
class Engine {
 public:
  // `bf16`: operands of products of matrices are rounded (kernels/bf16.h).
  Engine(SharedModel model, bool bf16) : model_(std::move(model)), learner_(*model_) {
    options_.products = bf16 ? kernels::Products::bf16 : kernels::Products::full;
  }

  const network::Program& program() const { return learner_.program(); }
  std::span<T> parameter(int i) { return learner_.parameter(i); }

  // The output rows, kept for a run backwards where there will be one. Running moments are moved by
  // this share.
  std::vector<T> forwards(SharedGraphs graphs, bool training, bool backwards, int threads,
                          std::uint64_t seed, double momentum) {
    check_schema(model_->description.schema, graphs->schema);
    graphs_ = std::move(graphs);
    cut();
    options_.training = training;
    options_.input_gradients = backwards;
    options_.threads = threads > 0 ? threads : default_threads();
    options_.seed = seed;
    options_.momentum = momentum;
    std::vector<T> rows(row_.back());
    const auto seen = [&](std::size_t part, std::span<const T> output) {
      std::ranges::copy(output, rows.begin() + static_cast<std::ptrdiff_t>(row_[part]));
    };
    run(py::none(), [&](const Control&) {
      if (backwards) {
        learner_.begin_step(pointers_, options_, seen);
      } else {
        learner_.forward(pointers_, options_, seen);
      }
      return true;
    });
    kept_ = backwards;
    return rows;
  }

  void backwards(std::span<const T> gradient) {
    if (!kept_ || gradient.size() != row_.back()) {
      throw Error(ErrorCode::usage, "engine", "has not run forwards for this gradient");
    }
    kept_ = false;
    run(py::none(), [&](const Control&) {
      learner_.end_step(pointers_.size(), options_, [&](std::size_t part, std::span<T> into) {
        std::ranges::copy(gradient.subspan(row_[part], into.size()), into.begin());
      });
      return true;
    });
  }

  std::vector<T> weight_gradient(std::size_t i) {
    const auto begin = learner_.gradient().begin() + learner_.offsets()[i];
    return {begin, begin + static_cast<std::ptrdiff_t>(program().parameters[i].count())};
  }

  // Of the features in an input register, all parts one after another; of features that copies
  // share, their sum. Empty where there are none; zeros where nothing flows to them.
  std::vector<T> input_gradient(int reg) {
    if (reg < 0) return {};
    const network::Register& r = program().registers[static_cast<std::size_t>(reg)];
    const auto size = [&](const Batch& b) {
      return network::rows(*b.structure, b.copies, r.place) * r.width;
    };
    const std::size_t all = size(graphs_->batch);
    const bool shared = pointers_.size() > 1 && size(*pointers_[0]) == all;
    std::vector<T> gradient(all);
    std::size_t at = 0;
    for (std::size_t p = 0; p < pointers_.size(); ++p) {
      const std::span<const T> own = learner_.input_gradient(p, reg);
      for (std::size_t i = 0; i < own.size(); ++i) gradient[at + i] += own[i];
      if (!shared) at += size(*pointers_[p]);
    }
    return gradient;
  }

 private:
  // Into the parts that training cuts a batch into: the same on any number of threads.
  void cut() {
    const Batch& all = graphs_->batch;
    train::TrainOptions options;
    options.batch = std::max<std::uint64_t>(all.copies, 1);
    const std::uint64_t parts =
        all.copies > 1 ? options.parts_of(1, program().trained_numbers()) : 1;
    parts_.clear();
    pointers_.clear();
    row_ = {0};
    const network::Register& out = program().registers[program().output];
    for (std::uint64_t p = 0; p < parts; ++p) {
      const std::size_t begin = all.copies * p / parts, end = all.copies * (p + 1) / parts;
      if (parts > 1) parts_.push_back(all.some(begin, end - begin));
    }
    for (const Batch& part : parts_) pointers_.push_back(&part);
    if (parts == 1) pointers_ = {&all};
    for (const Batch* part : pointers_) {
      row_.push_back(row_.back() +
                     network::rows(*part->structure, part->copies, out.place) * out.width);
    }
  }

  SharedModel model_;
  network::Learner<T> learner_;
  network::LearnOptions options_;
  SharedGraphs graphs_;
  std::vector<Batch> parts_;
  std::vector<const Batch*> pointers_;
  std::vector<std::size_t> row_;  // where the output of each part begins, in numbers
  bool kept_ = false;
};

template <class T>
void add_engine(py::module_& m, const char* name) {
  using Own = Engine<T>;
  using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;
  py::class_<Own>(m, name)
      .def(py::init<SharedModel, bool>())
      .def("parameter",
           [](const py::object& self, int i) {
             auto& engine = self.cast<Own&>();
             const auto& shape = engine.program().parameters.at(static_cast<std::size_t>(i)).shape;
             return shown(engine.parameter(i), {shape.begin(), shape.end()}, self);
           })
      .def("forwards",
           [](Own& engine, const SharedGraphs& graphs, bool training, bool backwards, int threads,
              std::uint64_t seed, double momentum) {
             return given_away(
                 engine.forwards(graphs, training, backwards, threads, seed, momentum),
                 output_shape(engine.program(), graphs->batch));
           })
      .def("backwards",
           [](Own& engine, const Array& gradient) {
             engine.backwards({gradient.data(), static_cast<std::size_t>(gradient.size())});
           })
      .def("weight_gradient",
           [](Own& engine, std::size_t i) {
             const auto& shape = engine.program().parameters.at(i).shape;
             return given_away(engine.weight_gradient(i), {shape.begin(), shape.end()});
           })
      .def("input_gradients", [](Own& engine) {
        py::list factor, edge;
        const network::Program& p = engine.program();
        for (const int reg : p.factor_input) factor.append(given_away(engine.input_gradient(reg)));
        for (const int reg : p.edge_input) edge.append(given_away(engine.input_gradient(reg)));
        return py::make_tuple(given_away(engine.input_gradient(p.variable_input)), factor, edge);
      });
}

}  // namespace

void add_engines(py::module_& m) {
  add_engine<float>(m, "Engine32");
  add_engine<double>(m, "Engine64");
}

}  // namespace fgnn::python
