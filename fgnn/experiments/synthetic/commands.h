// The commands that the synthetic models bring.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::synthetic {

experiments::Command label_command();
experiments::Command demo_command();

}  // namespace fgnn::synthetic
