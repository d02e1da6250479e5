// The kernels as differentiable operations on tensors, float or double, contiguous.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fgnn/kernels/message.h"
#include "fgnn/network/program.h"

namespace fgnn::nn {

// What an operation needs to know beside its arguments.
struct Context {
  int threads = 1;
  bool training = true;
  double momentum = 0.1;   // of running moments
  std::uint64_t seed = 0;  // of dropout: another one for every pass
  // Adds the numbers up over all processes of a run, in place; empty when there is one process.
  std::function<void(std::span<double>)> reduce;
};

// act(inputs weight + bias), inputs side by side; weight is (sum of widths) x out; bias may be
// undefined.
at::Tensor linear(const std::vector<at::Tensor>& inputs, const at::Tensor& weight,
                  const at::Tensor& bias, kernels::Activation activation, const Context& context);

struct NormArguments {
  network::NormKind kind;
  kernels::Activation activation;
  std::vector<std::size_t> graph_rows;  // for instance norms
};
// act(norm(x)) + residual (may be undefined). In training, batch norms update mean and variance.
at::Tensor norm(const at::Tensor& x, const at::Tensor& residual, const at::Tensor& scale,
                const at::Tensor& shift, at::Tensor mean, at::Tensor variance,
                const NormArguments& arguments, const Context& context);

struct MessageArguments {
  const kernels::Incidence* edges;
  std::shared_ptr<const void> owner;  // keeps `edges` and `mask` alive until the backward pass
  std::size_t copies;
  kernels::MessageOptions options;
  const std::uint8_t* mask = nullptr;
  bool per_copy = false;
};
// kernels/message.h; target, matrices and coefficients may be undefined.
at::Tensor message(const at::Tensor& target, const at::Tensor& source, const at::Tensor& matrices,
                   const at::Tensor& coefficients, const MessageArguments& arguments,
                   const Context& context);

struct ScaledArguments {
  const kernels::Incidence* edges;
  std::shared_ptr<const void> owner;  // keeps `edges` and `mask` alive until the backward pass
  std::size_t copies;
  kernels::Activation activation;
  kernels::Aggregate aggregate;
  const std::uint8_t* mask = nullptr;
};
// kernels/scaled.h; shift may be undefined.
at::Tensor scaled(const at::Tensor& source, const at::Tensor& scale, const at::Tensor& shift,
                  const ScaledArguments& arguments, const Context& context);

// kernels/convolution.h; bias may be undefined.
at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                       const kernels::ImageShape& shape, std::size_t size, const Context& context);
at::Tensor max_pool(const at::Tensor& x, const kernels::ImageShape& shape, std::size_t side,
                    const Context& context);

// Zeros drawn by context.seed and `id`; the input itself where nothing is trained.
at::Tensor dropout(const at::Tensor& x, double share, bool rows, int id, const Context& context);

// kernels/exclude.h
at::Tensor exclude(const at::Tensor& x, const kernels::Incidence& node,
                   std::shared_ptr<const void> owner, std::size_t copies,
                   kernels::Aggregate aggregate, double temperature, const std::uint8_t* mask,
                   const Context& context);

// kernels/gru.h
at::Tensor gru(const at::Tensor& input, const at::Tensor& hidden, const at::Tensor& state,
               const Context& context);

// kernels/softmax.h
at::Tensor softmax(const at::Tensor& x, const Context& context);

at::Tensor activate(const at::Tensor& x, kernels::Activation activation);

}  // namespace fgnn::nn
