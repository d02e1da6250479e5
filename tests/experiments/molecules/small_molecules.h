// A few molecules with made-up targets, and what tests do to them.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/experiments/molecules/molecule_set.h"

namespace fgnn::testing {

// Chains of carbon, nitrogen and oxygen with hydrogens, shaken a little; targets that depend on
// atoms and size.
inline molecules::Molecule made_up_molecule(Rng& rng) {
  molecules::Molecule m;
  const std::size_t heavy = 2 + rng.below(4);
  for (std::size_t i = 0; i < heavy; ++i) {
    const auto kind = rng.below(3);
    m.elements.push_back(kind == 0 ? 6 : kind == 1 ? 7 : 8);
    const float x = 1.45f * static_cast<float>(i), y = i % 2 == 0 ? 0.f : 0.6f;
    m.places.push_back({x + static_cast<float>(rng.uniform(-.05, .05)),
                        y + static_cast<float>(rng.uniform(-.05, .05)),
                        static_cast<float>(rng.uniform(-.05, .05))});
    const std::size_t hydrogens = kind == 0 ? 2 : kind == 1 ? 1 : 0;
    for (std::size_t h = 0; h < hydrogens; ++h) {
      m.elements.push_back(1);
      m.places.push_back({x, y + (i % 2 == 0 ? -.6f : .6f), h == 0 ? .9f : -.9f});
    }
  }
  for (std::size_t t = 0; t < molecules::kTargets; ++t) {
    m.targets.push_back(static_cast<double>(m.atoms()) * (1 + static_cast<double>(t)) +
                        rng.normal());
  }
  return m;
}

inline molecules::MoleculeSet made_up_set(std::size_t count, std::uint64_t seed = 1) {
  Rng rng(seed);
  molecules::MoleculeSet set;
  for (std::size_t i = 0; i < count; ++i) {
    auto m = made_up_molecule(rng);
    m.name = std::to_string(i);
    set.add(m);
  }
  return set;
}

inline molecules::Molecule molecule_of(const molecules::MoleculeView& view) {
  molecules::Molecule m;
  m.elements.assign(view.elements.begin(), view.elements.end());
  m.places.assign(view.places.begin(), view.places.end());
  m.targets.assign(view.targets.begin(), view.targets.end());
  return m;
}

// Turned about two axes and moved.
inline molecules::Molecule turned(molecules::Molecule m, double angle, double shift) {
  for (auto& p : m.places) {
    const double x = p[0], y = p[1], z = p[2];
    const double c = std::cos(angle), s = std::sin(angle);
    const double a = c * x - s * y, b = s * x + c * y;
    p = {static_cast<float>(a + shift), static_cast<float>(c * b - s * z - 2 * shift),
         static_cast<float>(s * b + c * z + shift / 3)};
  }
  return m;
}

inline molecules::Molecule permuted(const molecules::Molecule& m, std::uint64_t seed) {
  std::vector<std::size_t> order(m.atoms());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(seed);
  rng.shuffle(order);
  molecules::Molecule result = m;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.elements[i] = m.elements[order[i]];
    result.places[i] = m.places[order[i]];
  }
  return result;
}

}  // namespace fgnn::testing
