// The tables of a reproduction: their names and titles, and which of them are wanted.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn::report {

struct TableInfo {
  std::string name, title;
};

// Nothing said means all.
inline bool wants_table(const std::vector<std::string>& wanted, const std::string& table) {
  return wanted.empty() || std::ranges::find(wanted, table) != wanted.end();
}

// Throws Error(usage) for a table that there is not.
inline void check_tables(const std::vector<std::string>& wanted,
                         const std::vector<TableInfo>& tables) {
  std::vector<std::string> known;
  for (const TableInfo& table : tables) known.push_back(table.name);
  for (const std::string& name : wanted) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw Error(ErrorCode::usage, "--tables " + name, "there is no such table",
                suggestion(name, known));
  }
}

}  // namespace fgnn::report
