#include "fgnn/potentials/all_different.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fgnn/core/random.h"

namespace fgnn {
namespace {

// out[slot] by its definition: all joint states, one after another.
std::vector<double> by_enumeration(const std::vector<State>& shape, const std::vector<double>& in) {
  std::vector<double> out(in.size(), kForbidden);
  std::vector<State> x(shape.size(), 0);
  const AllDifferent potential;
  while (true) {
    if (potential.score(x) == 0) {
      std::size_t first = 0;
      for (std::size_t j = 0; j < x.size(); first += shape[j++]) {
        double sum = 0;
        std::size_t slot = 0;
        for (std::size_t k = 0; k < x.size(); slot += shape[k++]) {
          if (k != j) sum += in[slot + x[k]];
        }
        out[first + x[j]] = std::max(out[first + x[j]], sum);
      }
    }
    std::size_t k = 0;
    while (k < x.size() && ++x[k] == shape[k]) x[k++] = 0;
    if (k == x.size()) return out;
  }
}

// Beyond twelve states messages of maxima are found by an assignment problem.
TEST(AllDifferent, MaximaOverManyStatesAreThoseOfEnumeration) {
  Rng rng(5);
  std::size_t nothing_left = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<State> shape{static_cast<State>(13 + rng.below(3))};
    const std::size_t arity = 1 + rng.below(4);
    while (shape.size() < arity) shape.push_back(static_cast<State>(1 + rng.below(15)));
    rng.shuffle(shape);
    const double share = rng.below(2) == 0 ? 0.1 : 0.9;  // of slots that are forbidden
    std::vector<double> in(std::accumulate(shape.begin(), shape.end(), std::size_t{0}));
    for (double& value : in) {
      value =
          rng.uniform(0, 1) < share ? kForbidden : rng.uniform(-1, 1) * (round % 3 == 0 ? 1e3 : 3);
    }
    const auto kernel = AllDifferent().messages(shape, Reduction::max, 1);
    ASSERT_NE(kernel, nullptr);
    std::vector<double> out(in.size()), scratch(kernel->scratch());
    kernel->run(Semiring::max, in.data(), out.data(), scratch.data());
    const auto truth = by_enumeration(shape, in);
    for (std::size_t s = 0; s < in.size(); ++s) {
      if (truth[s] == kForbidden) {
        EXPECT_EQ(out[s], kForbidden) << round;
        ++nothing_left;
      } else {
        EXPECT_NEAR(out[s], truth[s], 1e-9) << round;
      }
    }
  }
  EXPECT_GT(nothing_left, 100u) << "the test says little of forbidden slots";
}

TEST(AllDifferent, MoreVariablesThanStatesLeaveNothing) {
  const std::vector<State> shape(14, 13);
  const std::vector<double> in(14 * 13, 0.5);
  const auto kernel = AllDifferent().messages(shape, Reduction::max, 1);
  std::vector<double> out(in.size(), 0), scratch(kernel->scratch());
  kernel->run(Semiring::max, in.data(), out.data(), scratch.data());
  for (const double value : out) EXPECT_EQ(value, kForbidden);
}

TEST(AllDifferent, SumsOverManyStatesHaveNoShortCut) {
  EXPECT_EQ(AllDifferent().messages(std::vector<State>(3, 13), Reduction::sum, 1), nullptr);
}

}  // namespace
}  // namespace fgnn
