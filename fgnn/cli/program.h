// The command-line program: parses, runs one subcommand, and turns every failure into one line on
// standard error and an exit code (core/error.h).
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace fgnn::cli {

// `more` declares commands beside the usual ones.
int run(int argc, char** argv, const std::function<void(CLI::App&)>& more = {});

}  // namespace fgnn::cli
