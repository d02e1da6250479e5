// Text that xz has packed, told by its first six bytes.
#pragma once

#include <string>
#include <string_view>

namespace fgnn {

inline constexpr std::string_view kXzMagic{
    "\xfd"
    "7zXZ\0",
    6};

// The bytes unpacked, of one xz stream or several. Throws Error(format) naming the file when they
// are damaged or cut off, and Error(too_large) beyond `most` bytes.
std::string unpacked_xz(std::string_view bytes, const std::string& file, std::size_t most);

}  // namespace fgnn
