#include "fgnn/core/suggest.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace fgnn {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view typed, std::span<const std::string> known) {
  std::size_t best = std::max<std::size_t>(1, typed.size() / 3) + 1;
  std::string nearest;
  for (const std::string& word : known) {
    if (const std::size_t distance = edit_distance(typed, word); distance < best) {
      best = distance;
      nearest = word;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view typed, std::span<const std::string> known) {
  if (known.empty()) return {};
  const std::string nearest = nearest_word(typed, known);
  return fmt::format("{}known are {}",
                     nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest),
                     fmt::join(known, ", "));
}

}  // namespace fgnn
