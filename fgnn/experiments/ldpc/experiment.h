// Decoding under burst noise (the paper's section 5.2), as an experiment of the program.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::ldpc {

experiments::Experiment experiment();

}  // namespace fgnn::ldpc
