// A code: its parity checks, how to encode, and what to call it.
#pragma once

#include <filesystem>
#include <string>

#include "fgnn/codes/encoder.h"
#include "fgnn/io/alist.h"

namespace fgnn::codes {

struct Code {
  std::string name;
  SparseParityMatrix checks;
  Encoder encoder;

  Code(std::string title, SparseParityMatrix matrix)
      : name(std::move(title)), checks(std::move(matrix)), encoder(checks) {}
};

// A number that differs between codes that differ, for logs.
std::uint64_t fingerprint(const SparseParityMatrix& checks);

}  // namespace fgnn::codes
