#include "fgnn/io/crc32c.h"

#include <array>

namespace fgnn {
namespace {

// The remainder of each byte, bits in reverse order.
constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0x82f63b78u : 0u);
    table[byte] = rest;
  }
  return table;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t rest = ~0u;
  for (char c : bytes) rest = rest >> 8 ^ kTable[(rest ^ static_cast<unsigned char>(c)) & 0xffu];
  return ~rest;
}

}  // namespace fgnn
