#include "fgnn/io/read_text.h"

#include "fgnn/core/error.h"
#include "fgnn/io/input_file.h"

namespace fgnn {

std::string read_text(const std::filesystem::path& file) {
  constexpr std::size_t kMost = 64u << 20;
  std::ifstream in = open_input(file);
  std::string text;
  char piece[1 << 14];
  while (in.read(piece, sizeof piece) || in.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMost) throw Error(ErrorCode::too_large, file.string(), "is too large");
  }
  return text;
}

}  // namespace fgnn
