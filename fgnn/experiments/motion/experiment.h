// What the experiment brings to the program.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::motion {

experiments::Experiment experiment();

}  // namespace fgnn::motion
