// The parts of the experiment's descriptor that have files of their own.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::motion {

experiments::Command predict_command();    // fgnn predict motion
experiments::Reproduction reproduction();  // fgnn reproduce motion

experiments::DataSource cmu_source();
experiments::DataSource h36m_source();  // which one may do without

}  // namespace fgnn::motion
