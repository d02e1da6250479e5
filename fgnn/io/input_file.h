// Files opened for reading.
#pragma once

#include <filesystem>
#include <fstream>

namespace fgnn {

// Whether there is something of this name. A name that cannot be looked up (too long, in a folder
// that cannot be entered) is not there.
inline bool file_exists(const std::filesystem::path& file) {
  std::error_code failure;
  return std::filesystem::exists(file, failure);
}

// Throws Error(io) naming the file: a directory, or one that cannot be read.
std::ifstream open_input(const std::filesystem::path& file);

}  // namespace fgnn
