// Other programs, run by the shell: gnuplot for plots, toulbar2 to be compared with.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "fgnn/io/temporary.h"

namespace fgnn {

bool have_program(const std::string& name);

// Standard output of a command, standard error dropped; none when it fails.
std::optional<std::string> output_of(const std::string& command);

// A path as one word for the shell.
std::string shell_word(const std::filesystem::path& path);

// A folder of its own that vanishes with the object. Throws Error(io).
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<Temporary> known_to_signals_;
};

}  // namespace fgnn
