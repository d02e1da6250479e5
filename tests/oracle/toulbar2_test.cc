#include "tests/reference/toulbar2.h"

#include <gtest/gtest.h>

#include "fgnn/infer/branch_and_bound.h"
#include "fgnn/infer/exact.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

testing::RandomGraphOptions small() {
  testing::RandomGraphOptions options;
  options.min_variables = 2;
  options.max_variables = 12;
  options.max_factors = 15;
  options.max_arity = 3;
  return options;
}

template <class Solve>
void expect_agreement(std::uint64_t seed, int graphs, Solve solve) {
  if (!have_toulbar2()) {
    GTEST_SKIP() << "toulbar2 is not installed (Debian package toulbar2)";
  }
  Rng rng(seed);
  for (int i = 0; i < graphs; ++i) {
    SCOPED_TRACE("graph " + std::to_string(i));
    const FactorGraph g = testing::random_graph(rng, small());
    testing::expect_toulbar2_agrees(g, solve(g));
  }
}

TEST(Toulbar2, AgreesOnTheMapOfTwoHundredRandomGraphs) {
  expect_agreement(21, 200, [](const FactorGraph& g) { return exact_map(g); });
}

TEST(Toulbar2, AgreesWithBranchAndBoundOnAHundredRandomGraphs) {
  expect_agreement(22, 100, [](const FactorGraph& g) { return ad3_exact(g, {.gap = 1e-10}); });
}

}  // namespace
}  // namespace fgnn
