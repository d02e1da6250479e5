// Files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

namespace fgnn {

// Runs `write` on a temporary file beside the target and renames it to the target once it is on the
// disk. When anything fails, the target is as before and the temporary file is gone
// (after a signal in programs that call clean_up_on_signals, temporary.h). "-" is
// standard output; a target that exists and is not a regular file (a pipe, /dev/null) is written to
// directly. Throws Error(io) naming the file.
void write_file(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write);

}  // namespace fgnn
