// The command-line program: parses, runs one subcommand, and turns every failure into one line on
// standard error and an exit code (core/error.h).
#pragma once

namespace fgnn::cli {

int run(int argc, char** argv);

}  // namespace fgnn::cli
