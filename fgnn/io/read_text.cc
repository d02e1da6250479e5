#include "fgnn/io/read_text.h"

#include "fgnn/core/error.h"
#include "fgnn/io/input_file.h"

namespace fgnn {

std::string read_text(const std::filesystem::path& file, std::size_t most) {
  std::ifstream in = open_input(file);
  std::string text;
  char piece[1 << 14];
  while (in.read(piece, sizeof piece) || in.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(in.gcount()));
    if (text.size() > most) throw Error(ErrorCode::too_large, file.string(), "is too large");
  }
  return text;
}

}  // namespace fgnn
