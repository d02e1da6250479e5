// The part of fgnn compare that takes folders of models: a table by family instead of one for all.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "fgnn/cli/options.h"

namespace fgnn::cli {

struct FolderOptions {
  std::string query = "map", log, html;
  bool toulbar2 = false, details = false;

  void declare(CLI::App& command);
  // Whether these files, or an option above, ask for such a table.
  bool wanted(const std::vector<std::string>& files) const;
};

// Delivers the table. `methods` are those given, if any.
void compare_folders(const std::vector<std::string>& files, const std::string& methods,
                     const FolderOptions& options, const SolverOptions& solver,
                     const OutputOptions& output);

}  // namespace fgnn::cli
