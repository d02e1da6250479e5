#include "fgnn/codes/code.h"

#include "fgnn/core/fingerprint.h"

namespace fgnn::codes {
namespace {

Fingerprint fingerprint_of(const SparseParityMatrix& checks) {
  Fingerprint f;
  f.add(std::uint64_t{checks.num_columns()});
  for (std::uint32_t r = 0; r < checks.num_rows(); ++r) {
    f.add(std::uint64_t{checks.row(r).size()});
    for (const std::uint32_t c : checks.row(r)) f.add(std::uint64_t{c});
  }
  return f;
}

}  // namespace

std::string fingerprint(const SparseParityMatrix& checks) { return fingerprint_of(checks).text(); }

std::string fingerprint(const Code& code) {
  Fingerprint f = fingerprint_of(code.checks);
  for (const std::uint32_t c : code.punctured) f.add(std::uint64_t{c});
  return f.text();
}

}  // namespace fgnn::codes
