#include "fgnn/experiments/molecules/qm9_file.h"

#include <fmt/format.h>

#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/io/safetensors.h"

namespace fgnn::molecules {
namespace {

void check_shape(const TensorFile& file, const SavedTensor& tensor, std::int64_t rows,
                 std::int64_t columns) {
  const bool fits = columns == 0 ? tensor.shape == std::vector<std::int64_t>{rows}
                                 : tensor.shape == std::vector<std::int64_t>{rows, columns};
  if (fits) return;
  throw Error(ErrorCode::format, file.file,
              fmt::format("tensor '{}' does not have {} rows{}", tensor.name, rows,
                          columns == 0 ? "" : fmt::format(" of {} numbers", columns)));
}

// Where the molecules begin, checked against the number of atoms.
std::vector<std::int64_t> offsets(const TensorFile& file, std::int64_t molecules,
                                  std::int64_t atoms) {
  const SavedTensor& tensor = file.at("atom_offset");
  check_shape(file, tensor, molecules + 1, 0);
  auto offset = as_int64(tensor);
  bool fits = offset.front() == 0 && offset.back() == atoms;
  for (std::size_t m = 0; fits && m + 1 < offset.size(); ++m) {
    const std::int64_t n = offset[m + 1] - offset[m];
    fits = n > 0 && n <= static_cast<std::int64_t>(kMostAtoms);
  }
  if (fits) return offset;
  throw Error(ErrorCode::format, file.file,
              fmt::format("tensor 'atom_offset' does not rise from 0 to {} by 1 to {} atoms a "
                          "molecule",
                          atoms, kMostAtoms));
}

void check_finite(const TensorFile& file, const std::string& name, std::span<const double> values) {
  for (const double v : values) {
    if (std::isfinite(v)) continue;
    throw Error(ErrorCode::format, file.file,
                fmt::format("tensor '{}' has a number that is not finite", name));
  }
}

}  // namespace

MoleculeSet qm9_molecules(const TensorFile& file, int threads) {
  const auto z = as_int64(file.at("z"));
  const auto atoms = static_cast<std::int64_t>(z.size());
  const auto id = as_int64(file.at("id"));
  const auto molecules = static_cast<std::int64_t>(id.size());
  check_shape(file, file.at("pos"), atoms, 3);
  check_shape(file, file.at("targets"), molecules, kTargets);
  const auto offset = offsets(file, molecules, atoms);
  const auto place = as_doubles(file.at("pos")), targets = as_doubles(file.at("targets"));
  check_finite(file, "pos", place);
  check_finite(file, "targets", targets);
  std::vector<std::int64_t> left_out;
  if (const SavedTensor* flags = file.find("uncharacterized")) {
    check_shape(file, *flags, molecules, 0);
    left_out = as_int64(*flags);
  }
  MoleculeSet set;
  std::vector<std::uint8_t> elements;
  std::vector<Point> places;
  for (std::size_t m = 0; m < id.size(); ++m) {
    if (!left_out.empty() && left_out[m] != 0) continue;
    elements.clear();
    places.clear();
    for (auto a = static_cast<std::size_t>(offset[m]); a < static_cast<std::size_t>(offset[m + 1]);
         ++a) {
      if (z[a] < 1 || symbol(static_cast<std::uint8_t>(std::min<std::int64_t>(z[a], 255))) == "?") {
        throw Error(ErrorCode::format, file.file,
                    fmt::format("molecule {} has an atom of element {}", id[m], z[a]));
      }
      elements.push_back(static_cast<std::uint8_t>(z[a]));
      places.push_back({static_cast<float>(place[3 * a]), static_cast<float>(place[3 * a + 1]),
                        static_cast<float>(place[3 * a + 2])});
    }
    set.add_unbonded(fmt::format("{}", id[m]), elements, places,
                     std::span(targets).subspan(m * kTargets, kTargets));
  }
  set.complete(threads);
  return set;
}

MoleculeSet read_qm9(const std::filesystem::path& file, int threads) {
  return qm9_molecules(read_safetensors(file), threads);
}

}  // namespace fgnn::molecules
