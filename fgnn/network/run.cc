#include "fgnn/network/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/kernels/exclude.h"
#include "fgnn/kernels/gru.h"
#include "fgnn/kernels/linear.h"
#include "fgnn/kernels/norm.h"
#include "fgnn/kernels/scaled.h"
#include "fgnn/kernels/softmax.h"
#include "fgnn/network/nearest.h"

namespace fgnn::network {

namespace {

// Whether the table of a parameter has a row for every kind of edge.
void check_kinds(const Program& program, const Batch& batch, Way way, int relation, int parameter) {
  const std::size_t table = program.parameters[parameter].shape[0];
  const std::size_t kinds = batch.structure->incidence(way, relation).kinds();
  if (kinds <= table) return;
  throw Error(ErrorCode::usage, fmt::format("relation {}", relation),
              fmt::format("has {} kinds of edges where the network knows {}", kinds, table));
}

}  // namespace

void check_features(const Program& program, const Batch& batch) {
  const auto check = [&](int reg, std::size_t have, const std::string& what) {
    if (reg < 0) return;
    const Register& r = program.registers[reg];
    const std::size_t want = rows(*batch.structure, batch.copies, r.place) * r.width;
    if (have == want) return;
    throw Error(
        ErrorCode::usage, what,
        fmt::format("has {} numbers where the network takes {} ({} each)", have, want, r.width));
  };
  if (batch.structure->relations().size() != program.factor_input.size() ||
      batch.relations.size() != program.factor_input.size()) {
    throw Error(ErrorCode::usage, "batch",
                fmt::format("has {} factor types where the network takes {}",
                            batch.structure->relations().size(), program.factor_input.size()));
  }
  check(program.variable_input, batch.variable.size(), "variable features");
  for (std::size_t r = 0; r < batch.relations.size(); ++r) {
    check(program.factor_input[r], batch.relations[r].factor.size(),
          fmt::format("factor features of relation {}", r));
    check(program.edge_input[r], batch.relations[r].edge.size(),
          fmt::format("edge features of relation {}", r));
    const std::size_t mask = batch.relations[r].mask.size();
    if (mask != 0 && mask != batch.copies * batch.structure->relations()[r].edges()) {
      throw Error(ErrorCode::usage, fmt::format("mask of relation {}", r),
                  "needs one entry per edge");
    }
  }
  for (const auto& o : program.operations) {
    if (const auto* m = std::get_if<Message>(&o)) {
      if (m->matrices < 0 || m->coefficients >= 0) continue;
      check_kinds(program, batch, m->way, m->relation, m->matrices);
    } else if (const auto* scaled = std::get_if<ScaledMessage>(&o)) {
      check_kinds(program, batch, scaled->way, scaled->relation, scaled->scale);
    }
  }
}

namespace {
const std::uint8_t* mask_of(int relation, const Batch& batch) {
  const auto& mask = batch.relations[relation].mask;
  return mask.empty() ? nullptr : mask.data();
}
}  // namespace

const std::uint8_t* mask_of(const Message& m, const Batch& batch) {
  // Only where the incidence's edges are the relation's, and meet others at a node.
  const bool of_relation = m.way == Way::variable_to_factor || m.way == Way::factor_to_variable ||
                           m.way == Way::edge_to_factor || m.way == Way::edge_to_variable ||
                           m.way == Way::edge_to_position || m.way == Way::edge_to_slot;
  return m.knn < 0 && of_relation ? mask_of(m.relation, batch) : nullptr;
}
const std::uint8_t* mask_of(const ScaledMessage& m, const Batch& batch) {
  return mask_of(m.relation, batch);
}
const std::uint8_t* mask_of(const Exclude& e, const Batch& batch) {
  return mask_of(e.relation, batch);
}

std::vector<std::size_t> graph_rows(const Structure& structure, std::size_t copies, Place place) {
  std::vector<std::size_t> offset{0};
  if (place.rows == Place::edge) {
    const Relation& r = structure.relations()[place.relation];
    const auto factors = structure.factor_offset(place.relation);
    for (std::size_t c = 0; c < copies; ++c) {
      for (std::size_t g = 1; g < factors.size(); ++g) {
        const auto end = std::lower_bound(r.factor.begin(), r.factor.end(), factors[g]);
        offset.push_back(c * r.edges() + static_cast<std::size_t>(end - r.factor.begin()));
      }
    }
    return offset;
  }
  if (place.rows == Place::kind) {
    throw Error(ErrorCode::internal, "kinds of edges", "are shared by the graphs of a batch");
  }
  if (place.rows == Place::graph) {
    offset.resize(rows(structure, copies, place) + 1);
    std::iota(offset.begin(), offset.end(), std::size_t{0});
    return offset;
  }
  const auto one = place.rows == Place::variable ? structure.variable_offset()
                                                 : structure.factor_offset(place.relation);
  for (std::size_t c = 0; c < copies; ++c) {
    for (std::size_t g = 1; g < one.size(); ++g) offset.push_back(c * one.back() + one[g]);
  }
  return offset;
}

template <class T>
Runner<T>::Runner(const Model& model) : program_(model.program) {
  for (const auto& w : model.weights) weights_.emplace_back(w.begin(), w.end());
  registers_.resize(program_.registers.size());
}

template <class T>
std::size_t Runner<T>::output_width() const {
  return program_.registers[program_.output].width;
}

template <class T>
std::size_t Runner<T>::rows_of(int reg) const {
  return rows(*batch_->structure, batch_->copies, program_.registers[reg].place);
}

template <class T>
T* Runner<T>::output(int reg) {
  registers_[reg].resize(rows_of(reg) * program_.registers[reg].width);
  return registers_[reg].data();
}

template <class T>
std::span<const T> Runner<T>::run(const Batch& batch, int threads) {
  check_features(program_, batch);
  batch_ = &batch;
  threads_ = threads;
  nearest_.clear();
  const auto load = [&](int reg, const std::vector<double>& values) {
    if (reg >= 0) registers_[reg].assign(values.begin(), values.end());
  };
  load(program_.variable_input, batch.variable);
  for (std::size_t r = 0; r < batch.relations.size(); ++r) {
    load(program_.factor_input[r], batch.relations[r].factor);
    load(program_.edge_input[r], batch.relations[r].edge);
  }
  for (const auto& operation : program_.operations) {
    std::visit([&](const auto& o) { step(o); }, operation);
  }
  return registers_[program_.output];
}

template <class T>
void Runner<T>::step(const Linear& o) {
  std::vector<kernels::Rows<T>> inputs;
  for (const int i : o.inputs) inputs.push_back({in(i), program_.registers[i].width});
  kernels::linear_forward<T>(inputs, rows_of(o.output), weight(o.weight), weight(o.bias),
                             program_.registers[o.output].width, o.activation, output(o.output),
                             threads_);
}

template <class T>
void Runner<T>::step(const Norm& o) {
  const std::size_t columns = program_.parameters[o.scale].count();
  const std::size_t n = rows_of(o.output) * program_.registers[o.output].width / columns;
  const kernels::Normalisation<T> norm{
      in(o.input), n, columns, weight(o.scale), weight(o.shift), in(o.residual), o.activation};
  T* out = output(o.output);
  if (o.kind == NormKind::layer) {
    kernels::normalise_rows(norm, kernels::row_moments(norm, threads_), out, threads_);
    return;
  }
  if (o.kind == NormKind::instance) {
    const auto offset =
        graph_rows(*batch_->structure, batch_->copies, program_.registers[o.output].place);
    kernels::normalise_columns(norm, {offset}, kernels::segment_moments(norm, {offset}, threads_),
                               out, threads_);
    return;
  }
  kernels::Moments<T> moments{{weights_[o.mean].begin(), weights_[o.mean].end()},
                              {weights_[o.variance].begin(), weights_[o.variance].end()}};
  for (T& v : moments.inverse) v = 1 / std::sqrt(v + static_cast<T>(kernels::kNormEpsilon));
  const std::size_t all[] = {0, n};
  kernels::normalise_columns(norm, {all}, moments, out, threads_);
}

template <class T>
void Runner<T>::step(const Message& o) {
  const Structure& s = *batch_->structure;
  kernels::MessageInput<T> m;
  m.edges = o.knn >= 0 ? nearest_[o.knn].get() : &s.incidence(o.way, o.relation);
  m.copies = o.knn >= 0 ? 1 : batch_->copies;
  m.target = in(o.target);
  m.source = in(o.source);
  m.matrices = weight(o.matrices);
  m.mask = mask_of(o, *batch_);
  if (o.coefficients >= 0) {
    const std::size_t bases = program_.registers[o.coefficients].width;
    const std::size_t size = o.options.hidden * o.options.out;
    if (one_matrix_per_kind(program_, o, s, batch_->copies)) {
      const kernels::Rows<T> c{in(o.coefficients), bases};
      mixed_.resize(m.edges->kinds() * size);
      kernels::linear_forward<T>({&c, 1}, m.edges->kinds(), m.matrices, nullptr, size,
                                 Activation::identity, mixed_.data(), threads_);
      m.matrices = mixed_.data();
    } else {
      m.coefficients = in(o.coefficients);
      m.bases = bases;
      m.per_copy = coefficients_by_copy(program_, o, s);
    }
  }
  kernels::message_forward<T>(m, o.options, output(o.output), nullptr, threads_);
}

template <class T>
void Runner<T>::step(const ScaledMessage& o) {
  const kernels::ScaledInput<T> m{&batch_->structure->incidence(o.way, o.relation),
                                  batch_->copies,
                                  program_.registers[o.output].width,
                                  in(o.source),
                                  weight(o.scale),
                                  weight(o.shift),
                                  mask_of(o, *batch_),
                                  o.activation,
                                  o.aggregate};
  kernels::scaled_forward<T>(m, output(o.output), threads_);
}

template <class T>
void Runner<T>::step(const Convolution& o) {
  const std::size_t channels = program_.parameters[o.weight].shape[1];
  kernels::convolution_forward<T>(o.shape, o.size, channels, rows_of(o.output), in(o.input),
                                  weight(o.weight), weight(o.bias), output(o.output), threads_);
}

template <class T>
void Runner<T>::step(const MaxPool& o) {
  kernels::max_pool_forward<T>(o.shape, o.side, rows_of(o.output), in(o.input), output(o.output),
                               nullptr, threads_);
}

template <class T>
void Runner<T>::step(const Dropout& o) {
  T* out = output(o.output);
  std::copy_n(in(o.input), registers_[o.output].size(), out);
}

template <class T>
void Runner<T>::step(const Append& o) {
  T* out = output(o.output);
  const std::size_t own = program_.registers[o.input].width, n = rows_of(o.output);
  const auto& more = weights_[o.parameter];
  for (std::size_t r = 0; r < n; ++r) {
    out = std::copy_n(in(o.input) + r * own, own, out);
    out = std::copy(more.begin(), more.end(), out);
  }
}

template <class T>
void Runner<T>::step(const Exclude& o) {
  kernels::exclude_forward<T>(batch_->structure->incidence(o.way, o.relation), batch_->copies,
                              in(o.input), program_.registers[o.input].width, o.aggregate,
                              o.temperature, mask_of(o, *batch_), output(o.output), threads_);
}

template <class T>
void Runner<T>::step(const Add& o) {
  T* out = output(o.output);
  const std::size_t n = registers_[o.output].size();
  std::copy_n(in(o.inputs[0]), n, out);
  for (std::size_t k = 1; k < o.inputs.size(); ++k) {
    const T* x = in(o.inputs[k]);
    for (std::size_t i = 0; i < n; ++i) out[i] += x[i];
  }
}

template <class T>
void Runner<T>::step(const Activate& o) {
  T* out = output(o.output);
  std::copy_n(in(o.input), registers_[o.output].size(), out);
  kernels::apply(o.activation, out, registers_[o.output].size());
}

template <class T>
void Runner<T>::step(const Multiply& o) {
  T* out = output(o.output);
  const T *x = in(o.first), *y = in(o.second);
  const std::size_t n = registers_[o.output].size();
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * y[i];
}

template <class T>
void Runner<T>::step(const Softmax& o) {
  kernels::softmax_forward<T>(in(o.input), rows_of(o.output), program_.registers[o.output].width,
                              output(o.output), threads_);
}

template <class T>
void Runner<T>::step(const Zero& o) {
  std::fill_n(output(o.output), registers_[o.output].size(), T(0));
}

template <class T>
void Runner<T>::step(const Gru& o) {
  kernels::gru_forward<T>(in(o.input), in(o.hidden), in(o.state), rows_of(o.output),
                          program_.registers[o.output].width, output(o.output), threads_);
}

template <class T>
void Runner<T>::step(const KNearest& o) {
  nearest_.resize(o.id + 1);
  nearest_[o.id] =
      std::make_unique<Incidence>(nearest<T>(*batch_->structure, batch_->copies, in(o.input),
                                             program_.registers[o.input].width, o.neighbours));
}

template class Runner<float>;
template class Runner<double>;

}  // namespace fgnn::network
