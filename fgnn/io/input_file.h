// Files opened for reading.
#pragma once

#include <filesystem>
#include <fstream>

namespace fgnn {

// Throws Error(io) naming the file: a directory, or one that cannot be read.
std::ifstream open_input(const std::filesystem::path& file);

}  // namespace fgnn
