// A network run with LibTorch's own operations, one after another: gather, linear, scatter. The
// baseline of `fgnn bench learn` for a single graph, and a check that both compute the same.
#pragma once

#include <ATen/core/Tensor.h>

#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"

namespace fgnn::bench {

// Takes linear layers, batch norms and messages with tables and a maximum; Error(unsupported) else.
class EagerNetwork {
 public:
  EagerNetwork(const network::Model& model, const network::Batch& batch);
  at::Tensor run();

 private:
  struct Edges {  // by kind
    std::vector<at::Tensor> target, source;
  };
  network::Program program_;
  std::vector<at::Tensor> weights_, inputs_;
  std::vector<Edges> edges_;  // by operation
  std::vector<std::int64_t> rows_;
};

}  // namespace fgnn::bench
