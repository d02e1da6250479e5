// MOL and SDF files, version V2000: three lines of heading (the first is the name), the counts, a
// line per atom and per bond in fixed columns, properties up to "M  END", data items up to "$$$$".
// Coordinates and bonds are read; aromatic bonds (type 4) count as single, to be made Kekulé's by
// bonds.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/molecules/molecule.h"

namespace fgnn::molecules {

// Throws Error(format) naming file:line, for V3000 too.
std::vector<Molecule> parse_sdf(std::string_view text, const std::string& file);
// Names lose what cannot stand on a line.
std::string sdf_text(const std::vector<Molecule>& molecules);

}  // namespace fgnn::molecules
