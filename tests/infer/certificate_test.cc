#include "fgnn/infer/certificate.h"

#include <gtest/gtest.h>

#include "fgnn/infer/exact.h"
#include "fgnn/models/synthetic.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

FactorGraph instance(const std::string& dataset, std::uint64_t i) {
  SyntheticOptions options;
  options.dataset = dataset;
  return synthetic_instance(options, i).graph();
}

TEST(Certificate, ProvesTheBestAssignmentOfATree) {
  for (const std::string& method : certificate_methods()) {
    for (std::uint64_t i = 0; i < 5; ++i) {
      const FactorGraph tree = instance("tree", i);
      const Result best = exact_map(tree);
      const Certificate c = certify(tree, best.score, method);
      EXPECT_TRUE(c.proved) << method;
      EXPECT_EQ(c.gap, 0);
      const Certificate worse = certify(tree, best.score - 1, method);
      EXPECT_FALSE(worse.proved);
      EXPECT_NEAR(worse.gap, 1, 1e-4);
    }
  }
}

TEST(Certificate, BoundsWhatItCannotProve) {
  for (const std::string& method : certificate_methods()) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const FactorGraph chain = instance("D3", i);
      const double best = exact_map(chain).score;
      const Certificate c = certify(chain, best, method);
      EXPECT_GE(c.bound, best - 1e-6);
      EXPECT_EQ(c.proved, c.gap == 0);
    }
  }
}

TEST(Certificate, ConditionsOnWhatWasObserved) {
  const FactorGraph tree = instance("tree", 0);
  Evidence evidence;
  evidence.fix(0, 1 - exact_map(tree).assignment[0]);
  const Result best = exact_map(tree, {}, evidence);
  EXPECT_TRUE(certify(tree, best.score, "ad3", evidence).proved);
  EXPECT_FALSE(certify(tree, best.score, "ad3").proved);
}

TEST(Certificate, AForbiddenAssignmentIsNotProved) {
  const Certificate c = certify(instance("D3", 0), kForbidden, "ad3");
  EXPECT_FALSE(c.proved);
  EXPECT_EQ(c.gap, kInfinity);
}

TEST(Certificate, MethodsWithoutBoundsAreRefused) {
  testing::expect_error(ErrorCode::usage, "max-product: gives no bound",
                        [] { certify(instance("D3", 0), 0, "max-product"); });
}

}  // namespace
}  // namespace fgnn
