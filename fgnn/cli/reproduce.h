// The experiments of `fgnn reproduce`, one function each, and what they share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "fgnn/report/page.h"

namespace fgnn::cli {

void add_reproduce_synthetic(CLI::App& reproduce);
void add_reproduce_ldpc(CLI::App& reproduce);
void add_reproduce_handwriting(CLI::App& reproduce);

// The folder given by --weights, or that of the networks which come with the program. Throws
// Error(io) when it is no folder.
std::filesystem::path weights_folder(const std::string& given);

// A table of the page, for the terminal.
std::string printed_text(const report::HtmlTable& table);

}  // namespace fgnn::cli
