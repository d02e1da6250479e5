// The commands that handwriting brings.
#pragma once

#include "fgnn/experiments/experiment.h"

namespace fgnn::handwriting {

std::vector<experiments::Command> letters_commands();
experiments::Command read_command();

}  // namespace fgnn::handwriting
