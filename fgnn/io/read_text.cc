#include "fgnn/io/read_text.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "fgnn/core/error.h"

namespace fgnn {

std::string read_text(const std::filesystem::path& file) {
  constexpr std::size_t kMost = 64u << 20;
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
  std::string text;
  char piece[1 << 14];
  while (in.read(piece, sizeof piece) || in.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMost) throw Error(ErrorCode::too_large, file.string(), "is too large");
  }
  return text;
}

}  // namespace fgnn
