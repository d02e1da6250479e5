// fgnn reproduce handwriting: section 5.4 of the paper.
#pragma once

#include "fgnn/experiments/reproduction.h"

namespace fgnn::handwriting {

// The file of letters.
experiments::DataSource letters_source();

experiments::Reproduction reproduction();

}  // namespace fgnn::handwriting
