// MacKay's alist format: a sparse binary matrix, as used for the parity checks of LDPC codes.
//
//   N M                                columns (variables), rows (checks)
//   biggest weight of a column, of a row
//   N weights of columns
//   M weights of rows
//   per column: its rows, from 1; zeros may pad it to the biggest weight
//   per row: its columns, likewise
//
// Lines are of no importance to the reader; '#' starts a comment.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "fgnn/codes/parity_matrix.h"
#include "fgnn/core/read_limits.h"

namespace fgnn {

// `file` is the name used in messages. Throws Error(format) naming file:line:column, also when the
// lists of columns and of rows disagree.
SparseParityMatrix read_alist(std::istream& in, const std::string& file,
                              const ReadLimits& limits = {});
void write_alist(std::ostream& out, const SparseParityMatrix& matrix, bool padded = true);

}  // namespace fgnn
