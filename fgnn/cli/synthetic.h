// Options that `generate` and `compare --synthetic` share: which instances of the synthetic models.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "fgnn/experiments/synthetic/instances.h"

namespace fgnn::cli {

struct SyntheticChoice {
  std::size_t count = 1;
  std::uint64_t first = 0;
  std::size_t length = 30, side = 12, order = 9;
  std::string windows = "full", pairwise = "code";

  void declare(CLI::App& command);
  // Validated. Throws Error(usage).
  synthetic::SyntheticOptions options(const std::string& dataset, std::uint64_t seed) const;
};

}  // namespace fgnn::cli
