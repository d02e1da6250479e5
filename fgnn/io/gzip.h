// Files that gzip or xz has packed, told by their first bytes.
#pragma once

#include <filesystem>
#include <string>

namespace fgnn {

// The bytes unpacked, or as they are when they are neither gzip's nor xz's. Throws Error(format)
// naming the file when they are damaged or cut off, and Error(too_large) beyond `most` bytes.
std::string unpacked(std::string bytes, const std::string& file, std::size_t most = 64u << 20);

// A whole text file, packed or not. Throws as read_text does.
std::string read_packed_text(const std::filesystem::path& file);

}  // namespace fgnn
