// The program as one of several ranks (docs/scale.md): rank 0 speaks for all, and an error anywhere
// is said once and ends all.
#pragma once

#include <span>
#include <string>

namespace fgnn::cli {

// For the beginning of the program, whose words are its arguments. False: the command is not shared
// out, rank 0 does it, and this process has nothing to do. Otherwise connects to the others. Throws
// Error(usage) when they were started with other arguments.
bool takes_part(std::span<char* const> words);

// Prints the line of an error and ends all ranks with the code, when they are connected.
void report_failure(const std::string& line, int exit_code);

}  // namespace fgnn::cli
