// Runs the program in the folder of the example models and gives back what it prints.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace fgnn::testing {

struct Ran {
  std::string out;  // standard output
  int exit = 0;     // code, or -1 when a signal ended it
};

inline Ran run_program_fully(const std::string& arguments) {
  const std::string command = "cd '" FGNN_MODELS "' && '" FGNN_PROGRAM_FILE "' " + arguments;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  Ran ran;
  char piece[4096];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, pipe))
    ran.out.append(piece, size);
  const int status = pclose(pipe);
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

inline std::string run_program(const std::string& arguments) {
  return run_program_fully(arguments).out;
}

}  // namespace fgnn::testing
