#include "fgnn/core/printable.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace fgnn {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  std::uint32_t code = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[size] || code > 0x10ffff || surrogate ? Character{} : Character{code, size};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

bool begins_character(char c) { return (c & 0xc0) != 0x80; }

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character c = first_of(text);
    const std::size_t bytes = c.bytes > 0 ? c.bytes : 1;
    if (c.code == '\n' || c.code == '\t' || c.code == '\r') {
      result += ' ';
    } else if (c.bytes > 0 && !is_control(c.code)) {
      result += text.substr(0, bytes);
    } else {
      for (const char byte : text.substr(0, bytes)) {
        fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(byte));
      }
    }
    text.remove_prefix(bytes);
  }
  return result;
}

std::string shortened(std::string text, std::size_t most) {
  std::size_t characters = 0;
  for (const char c : text) characters += begins_character(c);
  if (characters <= most) return text;
  const std::size_t tail = most / 3, head = most - tail - 1;
  std::string begin, end;
  std::size_t number = 0;  // of the character that a byte belongs to, from 1
  for (const char c : text) {
    number += begins_character(c);
    if (number <= head) begin += c;
    if (number > characters - tail) end += c;
  }
  return begin + "…" + end;
}

}  // namespace fgnn
