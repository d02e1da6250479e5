#include "fgnn/experiments/molecules/bonds.h"

#include <algorithm>
#include <array>
#include <optional>

namespace fgnn::molecules {
namespace {

struct Element {
  double radius;  // Å
  int valence;    // 0: any number of bonds, all single
};

Element element(std::uint8_t z) {
  switch (z) {
    case 1:
      return {0.31, 1};
    case 5:
      return {0.84, 3};
    case 6:
      return {0.76, 4};
    case 7:
      return {0.71, 3};
    case 8:
      return {0.66, 2};
    case 9:
      return {0.57, 1};
    case 14:
      return {1.11, 4};
    case 15:
      return {1.07, 0};
    case 16:
      return {1.05, 0};
    case 17:
      return {1.02, 1};
    case 35:
      return {1.20, 1};
    case 53:
      return {1.39, 1};
    default:
      return {1.3, 0};
  }
}

constexpr double kReach = 1.25;
constexpr std::uint8_t kHydrogen = 1, kNitrogen = 7;
constexpr int kMostAdditional = 2;
// Steps of the search for orders. QM9 needs a few dozen; sheets of carbon would never end.
constexpr long kMostSteps = 200000;

struct Candidate {
  std::size_t first, second;
  double length, radii;
  bool kept = true;
};

std::vector<Candidate> near(std::span<const std::uint8_t> z, std::span<const Point> places) {
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = i + 1; j < z.size(); ++j) {
      if (z[i] == kHydrogen && z[j] == kHydrogen) continue;
      const double radii = element(z[i]).radius + element(z[j]).radius;
      const double d = distance(places[i], places[j]);
      if (d < kReach * radii) found.push_back({i, j, d, radii});
    }
  }
  return found;
}

bool has_too_many(std::uint8_t z, int bonds) {
  const int valence = element(z).valence;
  return valence > 0 && bonds > valence && !(z == kNitrogen && bonds == 4);
}

void remove_longest(std::span<const std::uint8_t> z, std::vector<Candidate>& bonds) {
  std::vector<std::vector<std::size_t>> at(z.size());
  for (std::size_t b = 0; b < bonds.size(); ++b) {
    at[bonds[b].first].push_back(b);
    at[bonds[b].second].push_back(b);
  }
  for (std::size_t i = 0; i < z.size(); ++i) {
    std::erase_if(at[i], [&](std::size_t b) { return !bonds[b].kept; });
    while (has_too_many(z[i], static_cast<int>(at[i].size()))) {
      const auto stretch = [&](std::size_t b) { return bonds[b].length / bonds[b].radii; };
      const auto longest = std::ranges::max_element(at[i], {}, stretch);
      bonds[*longest].kept = false;
      at[i].erase(longest);
    }
  }
  std::erase_if(bonds, [](const Candidate& b) { return !b.kept; });
}

// Additional orders for bonds between atoms whose valence is not used up.
class Orders {
 public:
  Orders(std::span<const std::uint8_t> z, const std::vector<Candidate>& bonds)
      : bonds_(bonds), rest_(z.size()), open_(z.size()), order_(bonds.size()) {
    for (std::size_t i = 0; i < z.size(); ++i) rest_[i] = element(z[i]).valence;
    for (const auto& b : bonds) {
      for (const std::size_t i : {b.first, b.second}) {
        if (element(z[i]).valence > 0) --rest_[i];
      }
    }
    // A nitrogen with four bonds has given one away: there is no neutral way.
    possible_ = std::ranges::none_of(rest_, [](int r) { return r < 0; });
    for (std::size_t b = 0; b < bonds.size(); ++b) {
      if (rest_[bonds[b].first] > 0 && rest_[bonds[b].second] > 0) multiple_.push_back(b);
    }
    for (const std::size_t b : multiple_) {
      open_[bonds[b].first] += kMostAdditional;
      open_[bonds[b].second] += kMostAdditional;
    }
    gain_.assign(multiple_.size() + 1, 0);
    for (std::size_t k = multiple_.size(); k-- > 0;) {
      gain_[k] = gain_[k + 1] + kMostAdditional * std::min(0.0, cost(multiple_[k]));
    }
  }

  // The best orders, where there is a way.
  std::optional<std::vector<int>> find() {
    if (!possible_) return std::nullopt;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] > open_[i]) return std::nullopt;
    }
    search(0, 0);
    if (!found_) return std::nullopt;
    return best_;
  }

 private:
  double cost(std::size_t b) const { return bonds_[b].length - bonds_[b].radii; }

  void search(std::size_t k, double so_far) {
    if (++steps_ > kMostSteps && found_) return;
    if (steps_ > 50 * kMostSteps) return;
    if (found_ && so_far + gain_[k] >= least_) return;
    if (k == multiple_.size()) {
      found_ = true;
      least_ = so_far;
      best_ = order_;
      return;
    }
    const std::size_t b = multiple_[k], i = bonds_[b].first, j = bonds_[b].second;
    open_[i] -= kMostAdditional;
    open_[j] -= kMostAdditional;
    for (int more = std::min({kMostAdditional, rest_[i], rest_[j]}); more >= 0; --more) {
      rest_[i] -= more;
      rest_[j] -= more;
      order_[b] = more;
      // What the bonds still to come can take must be enough.
      if (rest_[i] <= open_[i] && rest_[j] <= open_[j]) search(k + 1, so_far + more * cost(b));
      rest_[i] += more;
      rest_[j] += more;
    }
    order_[b] = 0;
    open_[i] += kMostAdditional;
    open_[j] += kMostAdditional;
  }

  const std::vector<Candidate>& bonds_;
  std::vector<int> rest_, open_, order_, best_;
  std::vector<std::size_t> multiple_;
  std::vector<double> gain_;
  bool possible_ = true, found_ = false;
  double least_ = 0;
  long steps_ = 0;
};

}  // namespace

Bonds perceive_bonds(std::span<const std::uint8_t> elements, std::span<const Point> places) {
  std::vector<Candidate> bonds = near(elements, places);
  remove_longest(elements, bonds);
  const auto more = Orders(elements, bonds).find();
  Bonds result;
  result.solved = more.has_value();
  for (std::size_t b = 0; b < bonds.size(); ++b) {
    result.bonds.push_back({static_cast<std::uint16_t>(bonds[b].first),
                            static_cast<std::uint16_t>(bonds[b].second),
                            static_cast<std::uint8_t>(result.solved ? 1 + (*more)[b] : 1)});
  }
  return result;
}

}  // namespace fgnn::molecules
