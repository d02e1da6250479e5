#include "fgnn/codes/code.h"

#include "fgnn/codes/noise.h"

namespace fgnn::codes {

std::uint64_t fingerprint(const SparseParityMatrix& checks) {
  std::uint64_t hash = scramble(checks.num_columns());
  for (std::uint32_t r = 0; r < checks.num_rows(); ++r) {
    hash = scramble(hash + kGolden);
    for (std::uint32_t c : checks.row(r)) hash = scramble(hash ^ (c + 1));
  }
  return hash;
}

std::uint64_t fingerprint(const Code& code) {
  std::uint64_t hash = fingerprint(code.checks);
  for (const std::uint32_t c : code.punctured) hash = scramble(hash ^ (c + 1)) + kGolden;
  return hash;
}

}  // namespace fgnn::codes
