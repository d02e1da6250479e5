// The networks of the motion experiment, as text (network/description.h).
//
//   gcn         Mao et al. (2019): graph convolutions with a free matrix between all nodes, batch
//               norm of every number of a graph, tanh, dropout 0.5; a first layer, 12 residual
//               blocks of two, a last layer, and the input added in DCT space. 2.26 million
//               parameters for 48 nodes and 20 coefficients
//   fgnn        the paper's: the last two convolutions are FGNN layers of the same widths, with
//               factors over joints and over pairs of adjacent joints (graphs.h). Factors get a
//               linear map of their nodes' features side by side; messages go by matrices that are
//               mixtures of 16 with coefficients of each edge's own, maximum towards factors, sum
//               towards nodes
//   gcn-small, fgnn-small    the same with 6 blocks of width 64, for quick runs
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgnn/network/description.h"

namespace fgnn::motion {

struct NetworkOptions {
  std::string network = "fgnn";  // one of network_names()
  std::size_t coefficients = 30;
  double dropout = 0.5;
};

const std::vector<std::string>& network_names();

// Throws Error(usage) for an unknown name.
network::Description network_of(const NetworkOptions& options);

inline constexpr double kEpochs = 50;

// Options of training, as JSON: Adam at 5e-4, times 0.96 every two epochs, batches of 16, gradients
// cut to norm 1.
std::string training_of(std::uint64_t training, std::uint64_t validation, double epochs);

}  // namespace fgnn::motion
