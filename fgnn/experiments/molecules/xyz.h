// XYZ: the number of atoms, a comment, then a line "symbol x y z" per atom (more columns are
// ignored); molecules may follow one another.
//
// QM9's comments begin with "gdb" and have the targets; with the rotational constants before them
// in the authors' files, and then behind the atoms also come a line of frequencies, one of SMILES
// and one of InChI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/molecules/molecule.h"

namespace fgnn::molecules {

// Throws Error(format) naming file:line.
std::vector<Molecule> parse_xyz(std::string_view text, const std::string& file);
// Numbers in as many digits as they need.
std::string xyz_text(const std::vector<Molecule>& molecules);

}  // namespace fgnn::molecules
