// fgnn reproduce synthetic: section 5.1 of the paper.
#pragma once

#include "fgnn/experiments/reproduction.h"

namespace fgnn::synthetic {

experiments::Reproduction reproduction();

}  // namespace fgnn::synthetic
