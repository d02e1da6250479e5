#include "fgnn/experiments/molecules/split.h"

#include <fmt/format.h>

#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"

namespace fgnn::molecules {
namespace {

constexpr std::size_t kTrainedHeavy = 8;

}  // namespace

Split split_molecules(const MoleculeSet& molecules, const std::string& rule, std::uint64_t seed) {
  if (rule != "random" && rule != "size") {
    throw Error(ErrorCode::usage, "split", fmt::format("is '{}'", rule), "random or size");
  }
  Split split;
  std::vector<std::size_t> rest;
  for (std::size_t m = 0; m < molecules.size(); ++m) {
    const bool large = rule == "size" && molecules[m].heavy_atoms() > kTrainedHeavy;
    (large ? split.test : rest).push_back(m);
  }
  Rng random(seed);
  random.shuffle(rest);
  const std::size_t n = rest.size();
  const auto at = [&](std::size_t k) { return rest.begin() + static_cast<std::ptrdiff_t>(k); };
  const std::size_t train = rule == "size" ? n * 9 / 10 : n * 8 / 10;
  const std::size_t last = rule == "size" ? n : train + n / 10;
  split.train.assign(at(0), at(train));
  split.validation.assign(at(train), at(last));
  split.test.insert(split.test.end(), at(last), rest.end());
  if (split.train.empty() || split.validation.empty() || split.test.empty()) {
    throw Error(ErrorCode::usage, "molecules",
                fmt::format("are {}, too few to be split by {}", molecules.size(), rule));
  }
  return split;
}

}  // namespace fgnn::molecules
