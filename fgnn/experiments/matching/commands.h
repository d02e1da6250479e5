// The commands that matching brings.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::matching {

experiments::DataSource keypoints_source();
experiments::Command match_command();

}  // namespace fgnn::matching
