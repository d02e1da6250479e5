// Many molecules in flat arrays: QM9 is 60 MB. Bonds are perceived from places when a molecule is
// added, or taken from its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fgnn/experiments/molecules/bonds.h"
#include "fgnn/experiments/molecules/molecule.h"

namespace fgnn::molecules {

// A molecule of a set, without a copy.
struct MoleculeView {
  std::span<const std::uint8_t> elements;
  std::span<const Point> places;
  std::span<const Bond> bonds;
  std::span<const double> targets;  // twelve, or none

  std::size_t atoms() const { return elements.size(); }
  std::size_t heavy_atoms() const;
};

class MoleculeSet {
 public:
  std::size_t size() const { return names_.size(); }
  MoleculeView operator[](std::size_t m) const;
  const std::string& name(std::size_t m) const { return names_[m]; }
  // Whether the orders of its bonds use up all valences.
  bool solved(std::size_t m) const { return solved_[m] != 0; }
  bool has_targets() const { return size() > 0 && targets_.size() == size() * kTargets; }

  void add(const Molecule& molecule, bool bonds_of_file = false);
  // Without bonds: complete() finds those of all, on several threads.
  void add_unbonded(std::string name, std::span<const std::uint8_t> elements,
                    std::span<const Point> places, std::span<const double> targets);
  void complete(int threads);

 private:
  std::vector<std::string> names_;
  std::vector<std::uint8_t> elements_, solved_;
  std::vector<Point> places_;
  std::vector<Bond> bonds_;
  std::vector<double> targets_;
  std::vector<std::size_t> first_atom_{0}, first_bond_{0};
};

struct Census {
  std::size_t molecules = 0, atoms = 0, largest = 0, solved = 0;
  std::size_t of_order[4] = {};  // bonds by order, from 1
  std::size_t of_element[256] = {};
  std::size_t by_heavy[64] = {};  // molecules with so many heavy atoms, the last: or more
};
Census census(const MoleculeSet& molecules);

}  // namespace fgnn::molecules
