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
    for (int byte = 0; byte < 8; ++byte) add_byte(x >> (8 * byte) & 0xff);
  }
  // The bytes alone: texts one after another are as one text.
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  // With its length, so that texts one after another are told apart.
  void add_with_length(std::string_view text) {
    add(std::uint64_t{text.size()});
    add(text);
  }
  std::uint64_t value() const { return hash_; }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  void add_byte(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace fgnn
