// A molecule and its factors as SVG: atoms in the plane of the molecule's two largest extensions,
// bonds by their order, and a factor (square) at every atom that has more than one bond, with lines
// to the atoms it joins.
#pragma once

#include <string>

#include "fgnn/experiments/molecules/molecule_set.h"

namespace fgnn::molecules {

std::string molecule_svg(const MoleculeView& molecule, const std::string& title);

}  // namespace fgnn::molecules
