// Which molecules are trained on, chosen by and tested on.
//
//   random  80 : 10 : 10 by a seed, as in the paper; with the 130,831 of QM9: 104,664, 13,083,
//   13,084 size    up to eight heavy atoms for training and validation (9 : 1), nine or more for
//   testing:
//           what Alchemy asks of molecules larger than those trained on
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgnn/experiments/molecules/molecule_set.h"

namespace fgnn::molecules {

struct Split {
  std::vector<std::size_t> train, validation, test;
};

// Throws Error(usage) for other rules and for sets that leave a part empty.
Split split_molecules(const MoleculeSet& molecules, const std::string& rule, std::uint64_t seed);

}  // namespace fgnn::molecules
