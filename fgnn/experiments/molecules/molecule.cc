#include "fgnn/experiments/molecules/molecule.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn::molecules {
namespace {

constexpr std::string_view kSymbols[] = {
    "?",  "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al",
    "Si", "P",  "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co",
    "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb",
    "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe"};

}  // namespace

const std::array<Target, kTargets>& targets() {
  constexpr double kMilli = 1000 * kHartree;
  static constexpr std::array<Target, kTargets> all{{{"mu", "D", "D", 1},
                                                     {"alpha", "a0^3", "a0^3", 1},
                                                     {"homo", "Ha", "meV", kMilli},
                                                     {"lumo", "Ha", "meV", kMilli},
                                                     {"gap", "Ha", "meV", kMilli},
                                                     {"r2", "a0^2", "a0^2", 1},
                                                     {"zpve", "Ha", "meV", kMilli},
                                                     {"u0", "Ha", "meV", kMilli},
                                                     {"u", "Ha", "meV", kMilli},
                                                     {"h", "Ha", "meV", kMilli},
                                                     {"g", "Ha", "meV", kMilli},
                                                     {"cv", "cal/(mol K)", "cal/(mol K)", 1}}};
  return all;
}

std::size_t target_index(std::string_view name) {
  std::vector<std::string> known;
  for (std::size_t t = 0; t < kTargets; ++t) {
    if (targets()[t].name == name) return t;
    known.emplace_back(targets()[t].name);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}'", name), "is not a target",
              suggestion(std::string(name), known));
}

double distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = static_cast<double>(a[k]) - static_cast<double>(b[k]);
    sum += d * d;
  }
  return std::sqrt(sum);
}

std::uint8_t atomic_number(std::string_view symbol) {
  for (std::uint8_t z = 1; z < std::size(kSymbols); ++z) {
    if (kSymbols[z] == symbol) return z;
  }
  return 0;
}

std::string_view symbol(std::uint8_t z) { return kSymbols[z < std::size(kSymbols) ? z : 0]; }

std::string formula(std::span<const std::uint8_t> elements) {
  std::map<std::string, std::size_t> count;
  for (const std::uint8_t z : elements) {
    std::string key(symbol(z));
    // By Hill's order, which puts carbon and then hydrogen first.
    count[key == "C" ? " C" : key == "H" ? " H" : key] += 1;
  }
  std::string text;
  for (const auto& [key, n] : count) {
    text += key[0] == ' ' ? key.substr(1) : key;
    if (n > 1) text += std::to_string(n);
  }
  return text;
}

}  // namespace fgnn::molecules
