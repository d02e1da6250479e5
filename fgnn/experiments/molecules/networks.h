// The networks of the molecular experiments, as text (network/description.h).
//
//   mpnn        PyTorch Geometric's QM9 example: NNConv on all pairs of atoms, a GRU, three tied
//               steps of width 64, Set2Set
//   mpnn-large  the same with steps that are not tied and more hidden units for pairs: about as
//               many parameters as fgnn
//   fgnn        behind the MPNN's steps three of factor message passing, maximum towards factors of
//               width `rank`, sum towards atoms; both side by side into Set2Set
//   fgnn with form=positions    also a factor per bond, the product of maps of its atoms' places
//   fgnn with form=invariant    ours: distances in Gaussians, factors that see distances and angles
//               at their atom, sums, means and maxima over atoms and lengths of charge-weighted
//               sums of places as readout
#pragma once

#include <cstdint>
#include <string>

#include "fgnn/experiments/molecules/graphs.h"
#include "fgnn/network/description.h"

namespace fgnn::molecules {

struct NetworkOptions {
  std::string network = "fgnn";  // fgnn, mpnn or mpnn-large
  Form form = Form::invariant;
  std::size_t rank = 0;      // width of the factors; 0: 512, and 128 for form=invariant
  std::size_t outputs = 12;  // targets

  void validate() const;  // throws Error(usage)
};

network::Description network_of(const NetworkOptions& options);

inline constexpr double kEpochs = 40;  // of our own form, unless told otherwise

// Options of training, as JSON: `epochs` over `training` molecules, by the schedule that suits the
// form. Paper: batches of 64, Adam at 1e-3, smaller where validation is stuck.
std::string training_of(const NetworkOptions& options, std::size_t training, std::size_t validation,
                        double epochs);

}  // namespace fgnn::molecules
