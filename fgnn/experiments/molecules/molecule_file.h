// Files of molecules, told by their names:
//
//   .safetensors     QM9 in one file (qm9_file.h)
//   .xyz             xyz.h;   .sdf, .mol: sdf.h;   .smi, .smiles: a SMILES and a name per line, by
//                    RDKit (smiles.h)
//   a folder         QM9's as its authors give it (gdb9.sdf, gdb9.sdf.csv, uncharacterized.txt), or
//                    Alchemy's (folders of SDF files named by number, and one table of targets)
//
// Text may be packed by gzip, or by xz where the program xz is installed.
#pragma once

#include <filesystem>
#include <string>

#include "fgnn/experiments/molecules/molecule_set.h"

namespace fgnn::molecules {

struct ReadOptions {
  std::filesystem::path targets;  // a table (target_table.h) for an SDF file; empty: none
  bool bonds_of_file = false;     // of SDF; otherwise bonds are perceived
};

// Throws Error(io) and Error(format).
MoleculeSet read_molecules(const std::filesystem::path& file, const ReadOptions& options,
                           int threads);

}  // namespace fgnn::molecules
