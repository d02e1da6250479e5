// The experiments of `fgnn reproduce`, one function each, and what they share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "fgnn/report/page.h"
#include "fgnn/report/tables.h"

namespace fgnn::cli {

void add_reproduce_synthetic(CLI::App& reproduce);
void add_reproduce_ldpc(CLI::App& reproduce);
void add_reproduce_handwriting(CLI::App& reproduce);
void add_reproduce_molecules(CLI::App& reproduce);

// The folder given by --weights, or that of the networks which come with the program. Throws
// Error(io) when it is no folder.
std::filesystem::path weights_folder(const std::string& given);

// A table of the page, for the terminal.
std::string printed_text(const report::HtmlTable& table);

// All tables that have rows, each under its title and above its notes. `printed` and `notes` give
// those of a table by its name.
template <class Printed, class Notes>
std::string printed_tables(const std::vector<report::TableInfo>& tables, Printed printed,
                           Notes notes) {
  std::string text;
  for (const report::TableInfo& table : tables) {
    const report::HtmlTable shown = printed(table.name);
    if (shown.rows.empty()) continue;
    if (!text.empty()) text += "\n";
    text += table.name + ": " + table.title + "\n" + printed_text(shown);
    for (const std::string& note : notes(table.name)) text += "  " + note + "\n";
  }
  return text;
}

}  // namespace fgnn::cli
