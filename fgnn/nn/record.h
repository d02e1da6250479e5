// A node of torch's graph made of two functions: what was computed, and its gradient.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fgnn/core/error.h"

namespace fgnn::nn {

using Gradients = std::vector<at::Tensor>;

// Called with the gradient of the output; returns one gradient per input, undefined where
// `needed[i]` is false or there is none. Must hold detached tensors only.
using Backward = std::function<Gradients(const at::Tensor&, const std::vector<bool>& needed)>;

class KernelNode final : public torch::autograd::Node {
 public:
  KernelNode(std::string name, std::size_t inputs, Backward backward)
      : name_(std::move(name)), inputs_(inputs), backward_(std::move(backward)) {}

  std::string name() const override { return name_; }
  void release_variables() override { backward_ = nullptr; }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    if (backward_ == nullptr) {
      throw Error(ErrorCode::usage, name_, "was differentiated twice");
    }
    if (!gradients[0].defined()) return torch::autograd::variable_list(inputs_);
    std::vector<bool> needed(inputs_);
    for (std::size_t i = 0; i < inputs_; ++i) needed[i] = task_should_compute_output(i);
    return backward_(gradients[0].contiguous(), needed);
  }

 private:
  std::string name_;
  std::size_t inputs_;
  Backward backward_;
};

// Makes `output` the result of an operation on `inputs`. `make` returns the backward function and
// is called only when a gradient may be asked for.
template <class Make>
at::Tensor record(const char* name, at::Tensor output, const std::vector<at::Tensor>& inputs,
                  Make make) {
  bool wanted = false;
  for (const auto& x : inputs) wanted |= x.defined() && x.requires_grad();
  if (!wanted || !c10::GradMode::is_enabled()) return output;
  const auto node = std::make_shared<KernelNode>(name, inputs.size(), make());
  torch::autograd::edge_list edges;
  for (const auto& x : inputs) {
    edges.push_back(x.defined() ? torch::autograd::impl::gradient_edge(x)
                                : torch::autograd::Edge());
  }
  node->set_next_edges(std::move(edges));
  torch::autograd::set_history(output, node);
  return output;
}

}  // namespace fgnn::nn
