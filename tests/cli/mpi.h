// The program on several ranks of this machine, started by mpirun.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/places.h"

namespace fgnn::testing {

// Null where there can be ranks.
inline const char* why_no_ranks() {
  if (std::system("command -v mpirun >/dev/null") != 0) return "there is no mpirun";
  const auto module = std::filesystem::path(FGNN_PROGRAM_FILE).parent_path() / "libfgnn_mpi.so";
  return std::filesystem::exists(module) ? nullptr : "built without MPI";
}

// What the program itself said on standard error; mpirun has words of its own there.
inline std::vector<std::string> own_lines(const Program& run) {
  std::istringstream in(run.err());
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("fgnn: ")) all.push_back(line);
  }
  return all;
}

// The process that mpirun started as this rank; 0: not there yet.
inline pid_t process_of(const Program& mpirun, int rank) {
  const std::string id = std::to_string(mpirun.id());
  std::istringstream children(bytes("/proc/" + id + "/task/" + id + "/children"));
  const std::string mine = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + '\0';
  for (pid_t child = 0; children >> child;) {
    const std::string variables = bytes("/proc/" + std::to_string(child) + "/environ");
    if (variables.find(mine) != std::string::npos) return child;
  }
  return 0;
}

}  // namespace fgnn::testing
