// QM9 in one safetensors file: tensors z (U8, atoms), pos (F32, atoms x 3), atom_offset (I32,
// molecules + 1), targets (F64, molecules x 12), id (I32, molecules), uncharacterized (U8,
// molecules; may be absent). Those that failed the authors' consistency check are left out.
#pragma once

#include <filesystem>

#include "fgnn/experiments/molecules/molecule_set.h"
#include "fgnn/io/tensor_file.h"

namespace fgnn::molecules {

// Throws Error(format) naming the tensor that does not fit.
MoleculeSet qm9_molecules(const TensorFile& file, int threads);
MoleculeSet read_qm9(const std::filesystem::path& file, int threads);

}  // namespace fgnn::molecules
