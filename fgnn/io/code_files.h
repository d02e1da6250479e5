// Parity-check matrices by file name: .alist, .qc (io/qc.h), and any graph of even parity checks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/codes/parity_matrix.h"
#include "fgnn/core/read_limits.h"

namespace fgnn {

struct CodeFile {
  SparseParityMatrix checks;
  std::vector<std::uint32_t> punctured;  // columns that are not sent, ascending; .qc alone has any
};

// Throws Error(io), Error(format) naming file:line:column, Error(unsupported) naming what is not
// a parity check, and Error(too_large) or Error(time_limit) beyond the limits.
CodeFile read_code(const std::filesystem::path& file, const ReadLimits& limits = {});

struct WriteCodeOptions {
  bool padded = true;                         // .alist: with zeros, as most programs expect
  std::uint32_t block_size = 0;               // .qc: size of the blocks
  std::vector<std::uint32_t> punctured = {};  // .qc: not sent; others cannot hold it, and warn
};

// By the file's ending; "-" is standard output, as .alist. Throws Error(usage), Error(io), and
// Error(unsupported) when the matrix is not made of such blocks.
void write_code(const SparseParityMatrix& matrix, const std::filesystem::path& file,
                const WriteCodeOptions& options = {});

}  // namespace fgnn
