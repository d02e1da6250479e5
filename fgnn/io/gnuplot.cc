#include "fgnn/io/gnuplot.h"

#include <ostream>

#include "fgnn/core/error.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/outside_program.h"

namespace fgnn {

void require_gnuplot(const std::string& option) {
  if (have_program("gnuplot")) return;
  throw Error(ErrorCode::unsupported, option, "needs gnuplot, which is not installed",
              "--csv gives the numbers for any other program");
}

std::optional<std::string> gnuplot(const std::string& script) {
  if (!have_program("gnuplot")) return std::nullopt;
  const ScratchFolder scratch;
  const auto file = scratch.path() / "plot.gnuplot";
  write_file(file, [&](std::ostream& out) { out << script; });
  return output_of("gnuplot " + shell_word(file));
}

std::string gnuplot_inline(const std::string& script) {
  const auto drawing = gnuplot(script);
  const auto begin = drawing ? drawing->find("<svg") : std::string::npos;
  return begin == std::string::npos ? std::string() : drawing->substr(begin);
}

void gnuplot_to_file(const std::string& script, const std::filesystem::path& file) {
  const auto drawing = gnuplot(script);
  if (!drawing || drawing->empty()) {
    throw Error(ErrorCode::io, file.string(), "cannot be drawn: gnuplot failed");
  }
  write_file(file, [&](std::ostream& out) { out << *drawing; });
}

std::string gnuplot_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') continue;
    if (c == '"' || c == '\\' || c == '`') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace fgnn
