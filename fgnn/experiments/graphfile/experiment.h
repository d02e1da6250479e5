// Graphs of a user's own, from a file.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::graphfile {

experiments::Experiment experiment();

}  // namespace fgnn::graphfile
