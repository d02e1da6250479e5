#include "fgnn/nn/module.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/variable.h>

#include "fgnn/core/error.h"
#include "fgnn/network/nearest.h"
#include "fgnn/network/run.h"

namespace fgnn::nn {

using at::Tensor;

Tensor features(const std::vector<double>& values, std::size_t rows, at::ScalarType type) {
  if (values.empty() || rows == 0) return {};
  const auto r = static_cast<std::int64_t>(rows);
  const auto n = static_cast<std::int64_t>(values.size());
  // from_blob needs a pointer to non-const; kernels only read it.
  return at::from_blob(const_cast<double*>(values.data()), {r, n / r}, at::kDouble).to(type);
}

Module::Module(const network::Model& model, at::ScalarType type) : program_(model.program) {
  offsets_ = program_.flat_offsets();
  const std::int64_t total = offsets_.back();
  offsets_.pop_back();
  flat_ = at::zeros({total}, at::TensorOptions(type));
  make_leaves();
  load(model);
}

void Module::make_leaves() {
  flat_gradient_ = at::zeros_like(flat_);
  tensors_.clear();
  for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
    const auto& p = program_.parameters[i];
    if (offsets_[i] < 0) {
      tensors_.push_back(at::zeros(p.shape, flat_.options()));
      continue;
    }
    const auto count = static_cast<std::int64_t>(p.count());
    Tensor t = flat_.narrow(0, offsets_[i], count).view(p.shape).detach();
    t.set_requires_grad(true);
    t.mutable_grad() = flat_gradient_.narrow(0, offsets_[i], count).view(p.shape);
    tensors_.push_back(t);
  }
}

Module Module::replica() const {
  Module other;
  other.program_ = program_;
  other.context_ = context_;
  other.offsets_ = offsets_;
  other.flat_ = flat_;
  other.make_leaves();
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (offsets_[i] < 0) other.tensors_[i].copy_(tensors_[i]);
  }
  return other;
}

void Module::zero_gradients() { flat_gradient_.zero_(); }

void Module::load(const network::Model& model) {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const auto& values = model.weights[i];
    tensors_[i].detach().copy_(at::from_blob(const_cast<double*>(values.data()),
                                             program_.parameters[i].shape, at::kDouble));
  }
}

void Module::store(network::Model& model) const {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const Tensor values = tensors_[i].detach().to(at::kDouble).contiguous();
    model.weights[i].assign(values.data_ptr<double>(), values.data_ptr<double>() + values.numel());
  }
}

namespace {

// One forward pass.
class Pass {
 public:
  Pass(const network::Program& program, const std::vector<Tensor>& parameters,
       const Context& context, at::ScalarType type, std::shared_ptr<const network::Batch> batch)
      : p_(program),
        parameters_(parameters),
        type_(type),
        context_(context),
        batch_(std::move(batch)),
        structure_(*batch_->structure),
        registers_(program.registers.size()) {}

  Tensor run() {
    load(p_.variable_input, batch_->variable);
    for (std::size_t r = 0; r < batch_->relations.size(); ++r) {
      load(p_.factor_input[r], batch_->relations[r].factor);
      load(p_.edge_input[r], batch_->relations[r].edge);
    }
    for (const auto& operation : p_.operations) {
      std::visit([&](const auto& o) { step(o); }, operation);
    }
    return registers_[p_.output];
  }

 private:
  void load(int reg, const std::vector<double>& values) {
    if (reg < 0) return;
    const auto& [place, width] = p_.registers[reg];
    const std::size_t rows = network::rows(structure_, batch_->copies, place);
    registers_[reg] =
        rows > 0 ? features(values, rows, type_)
                 : at::empty({0, static_cast<std::int64_t>(width)}, at::TensorOptions(type_));
  }
  const Tensor& in(int reg) const {
    static const Tensor none;
    return reg < 0 ? none : registers_[reg];
  }
  const Tensor& weight(int parameter) const {
    static const Tensor none;
    return parameter < 0 ? none : parameters_[parameter];
  }

  void step(const network::Linear& o) {
    std::vector<Tensor> inputs;
    for (const int i : o.inputs) inputs.push_back(in(i));
    registers_[o.output] = linear(inputs, weight(o.weight), weight(o.bias), o.activation, context_);
  }

  void step(const network::Norm& o) {
    NormArguments arguments{o.kind, o.activation, {}};
    if (o.kind == network::NormKind::instance) {
      arguments.graph_rows =
          network::graph_rows(structure_, batch_->copies, p_.registers[o.output].place);
    }
    // Channels of an image: every pixel is a row.
    const auto columns = static_cast<std::int64_t>(p_.parameters[o.scale].count());
    const Tensor& x = in(o.input);
    if (x.size(1) == columns) {
      registers_[o.output] = norm(x, in(o.residual), weight(o.scale), weight(o.shift),
                                  weight(o.mean), weight(o.variance), arguments, context_);
    } else {
      registers_[o.output] = norm(x.view({-1, columns}), {}, weight(o.scale), weight(o.shift),
                                  weight(o.mean), weight(o.variance), arguments, context_)
                                 .view(x.sizes());
    }
  }

  void step(const network::Message& o) {
    MessageArguments a{nullptr, batch_, batch_->copies, o.options};
    Tensor matrices = weight(o.matrices), coefficients = in(o.coefficients);
    if (o.knn >= 0) {
      a.edges = nearest_[o.knn].get();
      a.owner = nearest_[o.knn];
      a.copies = 1;
    } else {
      a.edges = &structure_.incidence(o.way, o.relation);
    }
    a.mask = network::mask_of(o, *batch_);
    if (coefficients.defined()) {
      if (network::one_matrix_per_kind(p_, o, structure_, batch_->copies)) {
        matrices = linear({coefficients}, matrices.view({matrices.size(0), -1}), {},
                          kernels::Activation::identity, context_);
        coefficients = Tensor();
      } else {
        a.per_copy = network::coefficients_by_copy(p_, o, structure_);
      }
    }
    registers_[o.output] = message(in(o.target), in(o.source), matrices, coefficients, a, context_);
  }

  void step(const network::ScaledMessage& o) {
    const ScaledArguments a{&structure_.incidence(o.way, o.relation),
                            batch_,
                            batch_->copies,
                            o.activation,
                            o.aggregate,
                            network::mask_of(o, *batch_)};
    registers_[o.output] = scaled(in(o.source), weight(o.scale), weight(o.shift), a, context_);
  }

  void step(const network::Convolution& o) {
    registers_[o.output] =
        convolution(in(o.input), weight(o.weight), weight(o.bias), o.shape, o.size, context_);
  }

  void step(const network::MaxPool& o) {
    registers_[o.output] = max_pool(in(o.input), o.shape, o.side, context_);
  }

  void step(const network::Dropout& o) {
    registers_[o.output] = dropout(in(o.input), o.share, o.rows, o.id, context_);
  }

  void step(const network::Append& o) {
    const Tensor& x = in(o.input);
    const Tensor more = weight(o.parameter).reshape({1, -1});
    registers_[o.output] = at::cat({x, more.expand({x.size(0), more.size(1)})}, 1);
  }

  void step(const network::Exclude& o) {
    registers_[o.output] =
        exclude(in(o.input), structure_.incidence(o.way, o.relation), batch_, batch_->copies,
                o.aggregate, o.temperature, network::mask_of(o, *batch_), context_);
  }

  void step(const network::Add& o) {
    Tensor sum = in(o.inputs[0]);
    for (std::size_t k = 1; k < o.inputs.size(); ++k) sum = at::add(sum, in(o.inputs[k]));
    registers_[o.output] = sum;
  }

  void step(const network::Activate& o) {
    registers_[o.output] = activate(in(o.input), o.activation);
  }

  void step(const network::Multiply& o) {
    registers_[o.output] = at::mul(in(o.first), in(o.second));
  }

  void step(const network::Softmax& o) { registers_[o.output] = softmax(in(o.input), context_); }

  void step(const network::Zero& o) {
    const auto& [place, width] = p_.registers[o.output];
    const auto rows = static_cast<std::int64_t>(network::rows(structure_, batch_->copies, place));
    registers_[o.output] =
        at::zeros({rows, static_cast<std::int64_t>(width)}, at::TensorOptions(type_));
  }

  void step(const network::Gru& o) {
    registers_[o.output] = gru(in(o.input), in(o.hidden), in(o.state), context_);
  }

  void step(const network::KNearest& o) {
    const Tensor x = in(o.input).detach().contiguous();
    const std::size_t width = x.size(1);
    nearest_.resize(o.id + 1);
    nearest_[o.id] = std::make_shared<kernels::Incidence>(
        x.scalar_type() == at::kFloat
            ? network::nearest(structure_, batch_->copies, x.data_ptr<float>(), width, o.neighbours)
            : network::nearest(structure_, batch_->copies, x.data_ptr<double>(), width,
                               o.neighbours));
  }

  const network::Program& p_;
  const std::vector<Tensor>& parameters_;
  at::ScalarType type_;
  const Context& context_;
  std::shared_ptr<const network::Batch> batch_;
  const network::Structure& structure_;
  std::vector<Tensor> registers_;
  std::vector<std::shared_ptr<kernels::Incidence>> nearest_;
};

}  // namespace

Tensor Module::forward(const std::shared_ptr<const network::Batch>& batch) {
  network::check_features(program_, *batch);
  return Pass(program_, tensors_, context_, flat_.scalar_type(), batch).run();
}

}  // namespace fgnn::nn
