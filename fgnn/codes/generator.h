// The generator matrix of a code, dense: for short codes.
#pragma once

#include "fgnn/codes/bit_matrix.h"
#include "fgnn/codes/parity_matrix.h"

namespace fgnn::codes {

// A row per bit of the message: the word of that bit alone.
BitMatrix generator_matrix(const SparseParityMatrix& checks);

}  // namespace fgnn::codes
