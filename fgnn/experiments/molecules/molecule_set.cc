#include "fgnn/experiments/molecules/molecule_set.h"

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"

namespace fgnn::molecules {

std::size_t MoleculeView::heavy_atoms() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(elements, [](std::uint8_t z) { return z != 1; }));
}

MoleculeView MoleculeSet::operator[](std::size_t m) const {
  const std::size_t atom = first_atom_[m], atoms = first_atom_[m + 1] - atom;
  MoleculeView view{
      std::span(elements_).subspan(atom, atoms), std::span(places_).subspan(atom, atoms), {}, {}};
  if (m + 1 < first_bond_.size()) {
    view.bonds = std::span(bonds_).subspan(first_bond_[m], first_bond_[m + 1] - first_bond_[m]);
  }
  if (has_targets()) view.targets = std::span(targets_).subspan(m * kTargets, kTargets);
  return view;
}

void MoleculeSet::add_unbonded(std::string name, std::span<const std::uint8_t> elements,
                               std::span<const Point> places, std::span<const double> targets) {
  if (size() > 0 && has_targets() == targets.empty()) {
    throw Error(ErrorCode::usage, name, "must have targets where all others have");
  }
  names_.push_back(std::move(name));
  elements_.insert(elements_.end(), elements.begin(), elements.end());
  places_.insert(places_.end(), places.begin(), places.end());
  targets_.insert(targets_.end(), targets.begin(), targets.end());
  first_atom_.push_back(elements_.size());
}

void MoleculeSet::add(const Molecule& molecule, bool bonds_of_file) {
  complete(1);
  add_unbonded(molecule.name, molecule.elements, molecule.places, molecule.targets);
  if (!bonds_of_file) return complete(1);
  bonds_.insert(bonds_.end(), molecule.bonds.begin(), molecule.bonds.end());
  first_bond_.push_back(bonds_.size());
  solved_.push_back(1);
}

void MoleculeSet::complete(int threads) {
  const std::size_t first = solved_.size(), more = size() - first;
  std::vector<Bonds> found(more);
  parallel_for(threads, more, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = begin; m < end; ++m) {
      const MoleculeView view = (*this)[first + m];
      found[m] = perceive_bonds(view.elements, view.places);
    }
  });
  for (const Bonds& f : found) {
    bonds_.insert(bonds_.end(), f.bonds.begin(), f.bonds.end());
    first_bond_.push_back(bonds_.size());
    solved_.push_back(f.solved);
  }
}

Census census(const MoleculeSet& molecules) {
  Census all;
  for (std::size_t m = 0; m < molecules.size(); ++m) {
    const MoleculeView view = molecules[m];
    all.molecules += 1;
    all.atoms += view.atoms();
    all.largest = std::max(all.largest, view.atoms());
    all.solved += molecules.solved(m);
    for (const Bond& bond : view.bonds) all.of_order[bond.order] += 1;
    for (const std::uint8_t z : view.elements) all.of_element[z] += 1;
    all.by_heavy[std::min<std::size_t>(view.heavy_atoms(), 63)] += 1;
  }
  return all;
}

}  // namespace fgnn::molecules
