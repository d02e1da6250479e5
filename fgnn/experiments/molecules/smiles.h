// Molecules written as SMILES, one per line with an optional name behind it. Their places come from
// RDKit: hydrogens added, embedded by distance geometry with a fixed seed, relaxed in the MMFF94
// force field. It sits in a module of its own (smiles_module.cc), which is loaded when a file of
// SMILES is read: nothing else needs RDKit installed.
//
// Such places are not those of quantum chemistry; predictions by networks that were trained on the
// latter are less exact for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fgnn/experiments/molecules/molecule.h"

namespace fgnn::molecules {

// Throws Error(unsupported) where the module is not there, and Error(format) naming file:line.
std::vector<Molecule> parse_smiles(std::string_view text, const std::string& file);

// What the module exports, under the name kSmilesEntry: writes a MOL block of V2000 (or, below 0, a
// reason) of at most `size` bytes with its zero, and returns its length.
using SmilesEntry = long (*)(const char* smiles, char* out, unsigned long size);
inline constexpr const char* kSmilesEntry = "fgnn_mol_block_of_smiles";

}  // namespace fgnn::molecules
