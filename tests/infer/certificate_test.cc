#include "fgnn/infer/certificate.h"

#include <gtest/gtest.h>

#include "fgnn/experiments/synthetic/instances.h"
#include "fgnn/infer/exact.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

FactorGraph instance(const std::string& dataset, std::uint64_t i) {
  synthetic::SyntheticOptions options;
  options.dataset = dataset;
  return synthetic::synthetic_instance(options, i).graph();
}

TEST(Certificate, ProvesTheBestAssignmentOfATree) {
  for (const std::string& method : certificate_methods()) {
    for (std::uint64_t i = 0; i < 5; ++i) {
      const FactorGraph tree = instance("tree", i);
      const Result best = exact_map(tree);
      const Certificate c = certify(tree, best.assignment, method);
      EXPECT_TRUE(c.proved) << method;
      EXPECT_EQ(c.gap, 0);
      std::vector<State> other = best.assignment;
      other[3] = 1 - other[3];
      const Certificate worse = certify(tree, other, method);
      EXPECT_FALSE(worse.proved);
      EXPECT_NEAR(worse.gap, best.score - tree.score(other), 1e-4);
    }
  }
}

TEST(Certificate, BoundsWhatItCannotProve) {
  for (const std::string& method : certificate_methods()) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const FactorGraph chain = instance("D3", i);
      const Result best = exact_map(chain);
      const Certificate c = certify(chain, best.assignment, method);
      EXPECT_GE(c.bound, best.score - 1e-6);
      EXPECT_EQ(c.proved, c.gap == 0);
    }
  }
}

TEST(Certificate, ConditionsOnWhatWasObserved) {
  const FactorGraph tree = instance("tree", 0);
  Evidence evidence;
  evidence.fix(0, 1 - exact_map(tree).assignment[0]);
  const Result best = exact_map(tree, {}, evidence);
  EXPECT_TRUE(certify(tree, best.assignment, "ad3", evidence).proved);
  EXPECT_FALSE(certify(tree, best.assignment, "ad3").proved);
}

TEST(Certificate, AForbiddenAssignmentIsNotProved) {
  const FactorGraph chain = instance("D3", 0);
  const std::vector<State> all(chain.num_variables(), 1);  // more than any budget allows
  for (const std::vector<State>& x : {all, std::vector<State>{}}) {
    const Certificate c = certify(chain, x, "ad3");
    EXPECT_FALSE(c.proved);
    EXPECT_EQ(c.gap, kInfinity);
  }
}

TEST(Certificate, AnAssignmentAgainstTheEvidenceIsABug) {
  const FactorGraph tree = instance("tree", 0);
  const Result best = exact_map(tree);
  testing::expect_error(ErrorCode::internal, "which is ruled out", [&] {
    certify(tree, best.assignment, "ad3", Evidence().fix(0, 1 - best.assignment[0]));
  });
}

TEST(Certificate, TellsThatNothingIsAllowed) {
  const FactorGraph tree = instance("tree", 0);
  const Result best = exact_map(tree);
  const Certificate c = certify(tree, best.assignment, "ad3", Evidence().fix(0, 0).fix(0, 1));
  EXPECT_TRUE(c.infeasible());
  EXPECT_FALSE(c.proved);
}

TEST(Certificate, KeepsTheTimeLimit) {
  const FactorGraph chain = instance("D3", 0);
  const Result best = exact_map(chain);
  const Certificate c = certify(chain, best.assignment, "mplp", {}, {.time_limit = 1e-9});
  EXPECT_FALSE(c.proved);  // no pass was made
}

TEST(Certificate, MethodsWithoutBoundsAreRefused) {
  testing::expect_error(ErrorCode::usage, "max-product: gives no bound",
                        [] { certify(instance("D3", 0), {}, "max-product"); });
}

}  // namespace
}  // namespace fgnn
