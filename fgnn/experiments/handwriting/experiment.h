// Handwritten words (the paper's section 5.4), as an experiment of the program.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::handwriting {

experiments::Experiment experiment();

}  // namespace fgnn::handwriting
