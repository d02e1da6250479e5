// Bonds from places of atoms alone.
//
// Atoms i and j are joined where d < 1.25 (r_i + r_j), by covalent radii r (Cordero et al. 2008),
// two hydrogens never. While an atom has more bonds than its valence allows, its longest one (by
// d / (r_i + r_j)) is removed; a nitrogen with exactly four keeps them. What an atom's valence
// leaves over is then given out as additional orders, 0 to 2 per bond, to bonds between atoms that
// have something left, so that nothing remains; of several ways the one with the least sum of
// additional order times (d - r_i - r_j) is taken: short bonds become multiple. Where there is no
// way (charged groups), all bonds are single.
//
// On the 130,831 molecules of QM9: 130,357 solved, 474 not.
#pragma once

#include <span>
#include <vector>

#include "fgnn/experiments/molecules/molecule.h"

namespace fgnn::molecules {

struct Bonds {
  std::vector<Bond> bonds;  // by first atom, then by second
  bool solved = true;       // every valence is used up; otherwise all bonds are single
};

Bonds perceive_bonds(std::span<const std::uint8_t> elements, std::span<const Point> places);

}  // namespace fgnn::molecules
