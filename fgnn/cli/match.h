// fgnn match, and fgnn reproduce matching.
#pragma once

#include <CLI/CLI.hpp>

namespace fgnn::cli {

void add_match(CLI::App& app);
void add_reproduce_matching(CLI::App& reproduce);

}  // namespace fgnn::cli
