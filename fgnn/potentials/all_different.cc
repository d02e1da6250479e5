#include "fgnn/potentials/all_different.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/text.h"

namespace fgnn {
namespace {

double binomial(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    result *= static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return std::round(result);
}

}  // namespace

double AllDifferent::score(std::span<const State> x) const {
  if (x.size() <= 16) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (x[i] == x[j]) return kForbidden;
      }
    }
    return 0;
  }
  std::vector<State> sorted(x.begin(), x.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() ? 0 : kForbidden;
}

std::shared_ptr<const LowRank> AllDifferent::low_rank(Shape shape) const {
  const std::size_t n = shape.size();
  const State d = *std::ranges::max_element(shape);
  if (d > 20) return nullptr;
  // sum over sets S with |S| <= n of (-1)^(n-|S|) binomial(d-|S|, n-|S|) [x inside S] equals 1 when
  // the x are n different states and 0 otherwise; a state beyond a variable's own never occurs.
  std::vector<double> lambda;
  std::vector<std::vector<double>> terms;
  for (std::uint32_t set = 1; set < (1u << d); ++set) {
    const auto size = static_cast<std::size_t>(std::popcount(set));
    if (size > n || d < n) continue;
    if (terms.size() == kMaxLowRankTerms) return nullptr;
    const double sign = (n - size) % 2 == 0 ? 1 : -1;
    lambda.push_back(sign * binomial(d - size, n - size));
    auto& term = terms.emplace_back();
    for (State states : shape) {
      for (State x = 0; x < states; ++x) term.push_back(set >> x & 1 ? 1.0 : 0.0);
    }
  }
  return LowRank::from_terms({shape.begin(), shape.end()}, std::move(lambda), terms);
}

bool AllDifferent::equals(const Potential& other) const {
  return dynamic_cast<const AllDifferent*>(&other) != nullptr;
}

bool AllDifferent::write(TextWriter& text) const {
  text.put("all-different");
  return true;
}

PotentialKind AllDifferent::text() {
  const auto read = [](PotentialText&) { return shared(AllDifferent()); };
  return {"all-different",
          "0 when no two states are equal, forbidden otherwise",
          "1",
          {{"all-different", false, read}}};
}

}  // namespace fgnn
