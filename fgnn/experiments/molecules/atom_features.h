// Eleven numbers for each atom, in the order of PyTorch Geometric's QM9: element (H, C, N, O, F,
// one of them 1), atomic number, aromatic, sp, sp2, sp3 (one of them 1 for atoms other than
// hydrogen), hydrogens bonded to it. There the aromatic and hybridisation columns are zero for all
// molecules; here they come from the orders of bonds.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/molecules/molecule_set.h"

namespace fgnn::molecules {

inline constexpr std::size_t kAtomFeatures = 11;

// The elements that networks tell apart: their number, and the one of an element; below 0 for
// others.
inline constexpr std::size_t kElements = 5;
int element_index(std::uint8_t atomic_number);

enum class Hybrid : std::uint8_t { none, sp, sp2, sp3 };

struct AtomKinds {
  std::vector<Hybrid> hybrid;
  std::vector<std::uint8_t> aromatic, hydrogens;
};

// sp: a triple bond or two double ones; sp2: a double bond, or N and O beside an atom that has one;
// aromatic: in a ring of five or six sp2 atoms that share 4n + 2 electrons.
AtomKinds atom_kinds(const MoleculeView& molecule);

// Adds `kAtomFeatures` numbers per atom.
void add_atom_features(const MoleculeView& molecule, std::vector<double>& to, std::size_t stride,
                       std::size_t first);

}  // namespace fgnn::molecules
