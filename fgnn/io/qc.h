// Quasi-cyclic codes as base matrices of shifts, the .qc files of aff3ct and of many standards:
//
//   columns rows Z      of the base matrix; Z is the size of its blocks
//   per row: a shift per column, from 0 to Z-1, or -1 for a block of zeros
//   and perhaps a mark per column: 1 when its bits are sent, 0 when they are not (punctured)
//
// A shift s stands for the identity of size Z turned by s columns to the right: row i of the block
// has its one in column (i + s) mod Z. Lines are of no importance to the reader; '#' starts a
// comment.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "fgnn/codes/parity_matrix.h"
#include "fgnn/core/read_limits.h"

namespace fgnn {

struct BaseMatrix {
  static constexpr std::int32_t kZero = -1;

  std::uint32_t rows = 0, columns = 0, size = 0;
  std::vector<std::int32_t> shifts;  // row by row
  std::vector<bool> sent;            // by column; empty: all are

  bool operator==(const BaseMatrix&) const = default;
};

// Throws Error(format) naming file:line:column, Error(too_large) beyond the limits.
BaseMatrix read_qc(std::istream& in, const std::string& file, const ReadLimits& limits = {});
void write_qc(std::ostream& out, const BaseMatrix& base);

SparseParityMatrix expand(const BaseMatrix& base);
// The columns of that matrix whose bits are not sent, ascending.
std::vector<std::uint32_t> punctured_columns(const BaseMatrix& base);
// The reverse. Throws Error(unsupported) naming a block that is neither zero nor a shifted
// identity.
BaseMatrix base_matrix(const SparseParityMatrix& matrix, std::uint32_t size);
// Marks the blocks of these columns as not sent. Throws Error(unsupported) when a block is sent in
// part.
void puncture(BaseMatrix& base, std::span<const std::uint32_t> columns);

}  // namespace fgnn
