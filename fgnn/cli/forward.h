// Commands that need LibTorch live in a program of their own, fgnn-learn, beside this one: loading
// the framework takes longer than most of what fgnn does.
#pragma once

#include <CLI/CLI.hpp>

namespace fgnn::cli {

// Becomes fgnn-learn for its commands, where it is installed; otherwise returns.
void forward_learning(char** argv);

// Declares those commands, for the help and for a clear error where fgnn-learn is missing.
void add_forwarded(CLI::App& app);

}  // namespace fgnn::cli
