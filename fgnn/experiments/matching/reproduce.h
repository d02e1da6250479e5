// fgnn reproduce matching: section 5.3 of the paper.
#pragma once

#include "fgnn/experiments/reproduction.h"

namespace fgnn::matching {

experiments::Reproduction reproduction();

}  // namespace fgnn::matching
