// A whole file as text.
#pragma once

#include <filesystem>
#include <string>

namespace fgnn {

// Throws Error(io) naming the file, and Error(too_large) beyond `most` bytes.
std::string read_text(const std::filesystem::path& file, std::size_t most = 64u << 20);

}  // namespace fgnn
