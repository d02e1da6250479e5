// A whole file as text.
#pragma once

#include <filesystem>
#include <string>

namespace fgnn {

// Throws Error(io) naming the file, and Error(too_large) beyond 64 MiB.
std::string read_text(const std::filesystem::path& file);

}  // namespace fgnn
