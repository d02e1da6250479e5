// A number that differs between things that differ, for files that must know what they belong to.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace fgnn {

// FNV-1a over bytes.
class Fingerprint {
 public:
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(std::uint64_t x) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ (x >> (8 * byte) & 0xff)) * 0x100000001b3;
    }
  }
  // With its length, so that texts one after another are told apart.
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    for (const char c : text) add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  std::uint64_t value() const { return hash_; }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace fgnn
