// The two outputs of a program behind one door: results on standard output, everything else on
// standard error. A progress bar is taken away before anything is printed, so that no result stands
// in its line; and a standard error that cannot be written to (closed, full) is not a failure.
#pragma once

#include <string_view>

namespace fgnn {

// To standard output. Throws Error(io) when it cannot be written: a full disk, no such file.
void print_result(std::string_view text);
// Sees what was printed delivered. Throws the same.
void flush_results();

// One line to standard error, made printable.
void print_message(std::string_view line) noexcept;

// The last line of the terminal, replaced by each call, and cut to its width.
void draw_bar(std::string_view text) noexcept;
void erase_bar() noexcept;

// While quiet, all of the above do nothing: another process of the same run speaks for this one.
void keep_quiet(bool quiet) noexcept;

// Keeps 0, 1 and 2 from becoming the numbers of files that are opened later, whose contents would
// be mixed with messages. For the beginning of main.
void hold_standard_files() noexcept;

}  // namespace fgnn
