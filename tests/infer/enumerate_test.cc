#include "fgnn/infer/enumerate.h"

#include <gtest/gtest.h>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

FactorGraph bits(std::size_t n) {
  GraphBuilder b;
  b.variables("x", n, 2);
  return std::move(b).build();
}

TEST(Enumerate, AsksForAtLeastOneAssignment) {
  expect_error(ErrorCode::usage, "k: must be above zero", [] { enumerate_map(bits(2), {}, 0); });
  expect_error(ErrorCode::usage, "k: must be above zero", [] { exact_map(bits(2), {}, {}, 0); });
}

TEST(Enumerate, GivesNoMoreThanThereAre) {
  EXPECT_EQ(enumerate_map(bits(2), {}, 100).solutions.size(), 4u);
}

TEST(Enumerate, KeepsTheTimeLimit) {
  expect_error(ErrorCode::time_limit, "time limit",
               [] { enumerate_marginals(bits(26), {}, Deadline(0.01)); });
  expect_error(ErrorCode::time_limit, "time limit",
               [] { enumerate_map(bits(26), {}, 1, Deadline(0.01)); });
}

}  // namespace
}  // namespace fgnn
