#include "fgnn/experiments/molecules/atom_features.h"

#include <algorithm>

namespace fgnn::molecules {
namespace {

constexpr std::uint8_t kByIndex[kElements] = {1, 6, 7, 8, 9};
constexpr std::size_t kSmallestRing = 5, kLargestRing = 6;

struct Neighbour {
  std::size_t atom;
  int order;
};

class Kinds {
 public:
  explicit Kinds(const MoleculeView& m) : m_(m), at_(m.atoms()) {
    for (const Bond& b : m.bonds) {
      at_[b.first].push_back({b.second, b.order});
      at_[b.second].push_back({b.first, b.order});
    }
    kinds_.hybrid.assign(m.atoms(), Hybrid::none);
    kinds_.aromatic.assign(m.atoms(), 0);
    kinds_.hydrogens.assign(m.atoms(), 0);
  }

  AtomKinds find() {
    for (std::size_t i = 0; i < m_.atoms(); ++i) {
      kinds_.hydrogens[i] = static_cast<std::uint8_t>(std::ranges::count_if(
          at_[i], [&](const Neighbour& n) { return m_.elements[n.atom] == 1; }));
      kinds_.hybrid[i] = hybrid(i);
    }
    for (std::size_t i = 0; i < m_.atoms(); ++i) {
      path_ = {i};
      rings(i);
    }
    return std::move(kinds_);
  }

 private:
  int extra(std::size_t i) const {  // orders beyond single bonds
    int sum = 0;
    for (const auto& n : at_[i]) sum += n.order - 1;
    return sum;
  }

  Hybrid hybrid(std::size_t i) const {
    if (m_.elements[i] == 1) return Hybrid::none;
    if (extra(i) >= 2) return Hybrid::sp;
    const bool lone = m_.elements[i] == 7 || m_.elements[i] == 8;
    const bool beside =
        std::ranges::any_of(at_[i], [&](const Neighbour& n) { return extra(n.atom) > 0; });
    return extra(i) == 1 || (lone && beside) ? Hybrid::sp2 : Hybrid::sp3;
  }

  // Paths upwards from their first atom, which is the ring's smallest.
  void rings(std::size_t start) {
    for (const auto& n : at_[path_.back()]) {
      if (n.atom == start && path_.size() >= kSmallestRing) mark();
      if (n.atom <= start || kinds_.hybrid[n.atom] != Hybrid::sp2 ||
          kinds_.hybrid[start] != Hybrid::sp2 || path_.size() == kLargestRing ||
          std::ranges::find(path_, n.atom) != path_.end()) {
        continue;
      }
      path_.push_back(n.atom);
      rings(start);
      path_.pop_back();
    }
  }

  void mark() {
    int electrons = 0;
    for (const std::size_t i : path_) {
      // A double bond within the ring gives one; one that leaves it gives none; a lone pair two.
      bool within = false, outside = false;
      for (const auto& n : at_[i]) {
        if (n.order != 2) continue;
        (std::ranges::find(path_, n.atom) != path_.end() ? within : outside) = true;
      }
      electrons += within ? 1 : outside ? 0 : 2;
    }
    if (electrons % 4 != 2) return;
    for (const std::size_t i : path_) kinds_.aromatic[i] = 1;
  }

  const MoleculeView& m_;
  std::vector<std::vector<Neighbour>> at_;
  AtomKinds kinds_;
  std::vector<std::size_t> path_;
};

}  // namespace

int element_index(std::uint8_t z) {
  const auto found = std::ranges::find(kByIndex, z);
  return found == std::end(kByIndex) ? -1 : static_cast<int>(found - std::begin(kByIndex));
}

AtomKinds atom_kinds(const MoleculeView& molecule) { return Kinds(molecule).find(); }

void add_atom_features(const MoleculeView& molecule, std::vector<double>& to, std::size_t stride,
                       std::size_t first) {
  const AtomKinds kinds = atom_kinds(molecule);
  for (std::size_t i = 0; i < molecule.atoms(); ++i) {
    double* row = to.data() + i * stride + first;
    const int element = element_index(molecule.elements[i]);
    if (element >= 0) row[element] = 1;
    row[kElements] = molecule.elements[i];
    row[kElements + 1] = kinds.aromatic[i];
    if (kinds.hybrid[i] != Hybrid::none) row[kElements + 1 + static_cast<int>(kinds.hybrid[i])] = 1;
    row[kElements + 5] = kinds.hydrogens[i];
  }
}

}  // namespace fgnn::molecules
