// Targets in a file of comma-separated values: a heading, then a line per molecule. Columns are
// known by name, in any order and beside others:
//
//   QM9's authors'   mol_id (gdb_1, …), mu, alpha, homo, lumo, gap, r2, zpve, u0, u298, h298, g298,
//   cv Alchemy's        gdb_idx, property_0 … property_11, in the order of QM9; or the same names
//   as
//                    above with units behind them, such as "mu (D)"
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/molecules/molecule.h"

namespace fgnn::molecules {

struct TargetTable {
  std::vector<std::string> ids;               // in the file's order, without "gdb_"
  std::vector<std::vector<double>> rows;      // twelve numbers each
  std::map<std::string, std::size_t> row_of;  // by id
};

// Throws Error(format) naming file:line.
TargetTable parse_target_table(std::string_view text, const std::string& file);

}  // namespace fgnn::molecules
