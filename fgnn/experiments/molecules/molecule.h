// Molecules as files give them: atoms with places in Ångström, bonds, and the twelve quantum
// chemical targets of QM9 (Ramakrishnan et al. 2014) where they are known.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fgnn::molecules {

inline constexpr std::size_t kTargets = 12;
inline constexpr double kHartree = 27.2113825435;  // eV, as PyTorch Geometric has it

// A target in the file's unit and in the one it is reported in.
struct Target {
  std::string_view name, file_unit, unit;
  double factor;  // from the former to the latter
};
const std::array<Target, kTargets>& targets();
// The target of this name; throws Error(usage) with the nearest one.
std::size_t target_index(std::string_view name);

// Places are in Ångström.
using Point = std::array<float, 3>;
double distance(const Point& a, const Point& b);

struct Bond {
  std::uint16_t first = 0, second = 0;  // first < second
  std::uint8_t order = 1;               // 1 to 3
  friend bool operator==(const Bond&, const Bond&) = default;
};

struct Molecule {
  std::string name;
  std::vector<std::uint8_t> elements;  // atomic numbers
  std::vector<Point> places;
  std::vector<Bond> bonds;      // as the file has them; most have none
  std::vector<double> targets;  // all twelve in the file's units, or none

  std::size_t atoms() const { return elements.size(); }
  friend bool operator==(const Molecule&, const Molecule&) = default;
};

// What a reader takes at most: a bond names atoms by 16 bits.
inline constexpr std::size_t kMostAtoms = 10000;

// 0 for what is not an element.
std::uint8_t atomic_number(std::string_view symbol);
std::string_view symbol(std::uint8_t atomic_number);  // "?" beyond the table
// Such as C2H6O: carbon and hydrogen first, then by the alphabet.
std::string formula(std::span<const std::uint8_t> elements);

}  // namespace fgnn::molecules
