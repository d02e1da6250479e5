// Runs the program in the folder of the example models and gives back what it prints.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace fgnn::testing {

inline std::string run_program(const std::string& arguments) {
  const std::string command = "cd '" FGNN_MODELS "' && '" FGNN_PROGRAM_FILE "' " + arguments;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char piece[4096];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, pipe))
    text.append(piece, size);
  pclose(pipe);
  return text;
}

}  // namespace fgnn::testing
