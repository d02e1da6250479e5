// fgnn reproduce ldpc: section 5.2 of the paper, six panels of bit error rates.
#pragma once

#include "fgnn/experiments/reproduction.h"

namespace fgnn::ldpc {

experiments::Reproduction reproduction();

}  // namespace fgnn::ldpc
