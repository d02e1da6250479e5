// The paper's synthetic MAP problems (section 5.1), as an experiment of the program.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::synthetic {

experiments::Experiment experiment();

}  // namespace fgnn::synthetic
