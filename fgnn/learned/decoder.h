// A trained network as a decoder: make_decoder knows "fgnn:FILE" beside "sum-product" and "osd".
// The network must have the features of the ldpc task (experiments/ldpc/task.h); it takes any code.
#pragma once

#include <memory>
#include <string>

#include "fgnn/codes/decoder.h"
#include "fgnn/codes/parity_matrix.h"

namespace fgnn::learned {

// Reads the file. Throws Error(format, io), and Error(unsupported) for another task's model.
std::unique_ptr<codes::Decoder> learned_decoder(const SparseParityMatrix& checks,
                                                const std::string& file);

}  // namespace fgnn::learned
