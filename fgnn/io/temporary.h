// Files and folders that must not stay behind, whatever ends the program.
#pragma once

#include <cstddef>
#include <filesystem>

namespace fgnn {

// Names a file, or a folder of files, that a signal takes away while this object lives. Removing it
// otherwise is the owner's business. Beyond a few dozen at a time, or with very long names, they
// are not known to signals.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& path);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

 private:
  std::size_t place_;
};

// For the beginning of main: signals that end the program (from the keyboard, a queue, a closed
// terminal or pipe) first take away what is temporary. Signals that are ignored stay so. A file
// that grows beyond a limit becomes an error of writing instead of a signal.
void clean_up_on_signals();

}  // namespace fgnn
