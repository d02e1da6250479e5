// A network that can be trained: the program of network/program.h on tensors with gradients.
//
// All trained numbers lie in one flat tensor, and so do their gradients: the optimiser, the
// clipping and the sums over machines are single passes.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"
#include "fgnn/nn/ops.h"

namespace fgnn::nn {

class Module {
 public:
  explicit Module(const network::Model& model, at::ScalarType type = at::kFloat);

  // A module on the same parameters with gradients (and running moments) of its own, for another
  // thread.
  Module replica() const;

  // Rows of the output register. The batch must outlive the backward pass.
  at::Tensor forward(const std::shared_ptr<const network::Batch>& batch);

  Context& context() { return context_; }
  const network::Program& program() const { return program_; }

  at::Tensor parameters() { return flat_; }          // trained, flat, without gradient
  at::Tensor gradients() { return flat_gradient_; }  // added to by backward passes
  void zero_gradients();
  // By number in the program; leaves of the graph where trained.
  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  // Where a trained parameter begins in the flat tensors; -1 for running moments.
  const std::vector<std::int64_t>& offsets() const { return offsets_; }

  // The weights back into (or from) a model with the same program.
  void store(network::Model& model) const;
  void load(const network::Model& model);

 private:
  Module() = default;
  void make_leaves();

  network::Program program_;
  Context context_;
  at::Tensor flat_, flat_gradient_;
  std::vector<at::Tensor> tensors_;
  std::vector<std::int64_t> offsets_;
};

// Copies of the features as tensors, for tests that differentiate by them.
at::Tensor features(const std::vector<double>& values, std::size_t rows, at::ScalarType type);

}  // namespace fgnn::nn
