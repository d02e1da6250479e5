// A folder for a test's files, removed afterwards.
#pragma once

#include "fgnn/io/outside_program.h"

namespace fgnn::testing {

using Scratch = ScratchFolder;

}  // namespace fgnn::testing
