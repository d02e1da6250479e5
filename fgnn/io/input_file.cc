#include "fgnn/io/input_file.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "fgnn/core/error.h"

namespace fgnn {

std::ifstream open_input(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw Error(ErrorCode::io, file.string(), "is a directory");
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw Error(ErrorCode::io, file.string(),
                std::string("cannot be read: ") + std::strerror(errno));
  }
  return in;
}

}  // namespace fgnn
