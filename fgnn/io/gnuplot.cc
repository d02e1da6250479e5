#include "fgnn/io/gnuplot.h"

#include <ostream>

#include "fgnn/io/atomic_file.h"
#include "fgnn/io/outside_program.h"

namespace fgnn {

std::optional<std::string> gnuplot(const std::string& script) {
  if (!have_program("gnuplot")) return std::nullopt;
  const ScratchFolder scratch;
  const auto file = scratch.path() / "plot.gnuplot";
  write_file(file, [&](std::ostream& out) { out << script; });
  return output_of("gnuplot " + shell_word(file));
}

}  // namespace fgnn
