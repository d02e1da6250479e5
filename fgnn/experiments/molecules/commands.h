// The parts of the experiment's descriptor that have files of their own.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::molecules {

std::vector<experiments::Command> molecules_commands();  // fgnn molecules info, show
experiments::Command predict_command();                  // fgnn predict molecules
experiments::Reproduction reproduction();                // fgnn reproduce molecules

// QM9, and the part of it for quick runs.
experiments::DataSource qm9_source();
experiments::DataSource subset_source();

}  // namespace fgnn::molecules
