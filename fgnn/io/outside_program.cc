#include "fgnn/io/outside_program.h"

#include <stdlib.h>

#include <cstdio>

#include "fgnn/core/error.h"

namespace fgnn {

bool have_program(const std::string& name) {
  return std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0;
}

std::optional<std::string> output_of(const std::string& command) {
  FILE* pipe = popen(("(" + command + ") 2> /dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char piece[4096];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, pipe))
    text.append(piece, size);
  if (pclose(pipe) != 0) return std::nullopt;
  return text;
}

std::string shell_word(const std::filesystem::path& path) {
  std::string word = "'";
  for (const char c : path.string()) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "fgnn-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error(ErrorCode::io, name, "cannot be made");
  path_ = name;
  known_to_signals_ = std::make_unique<Temporary>(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace fgnn
