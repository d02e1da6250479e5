#include "fgnn/codes/bit_matrix.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fgnn/core/random.h"

namespace fgnn::codes {
namespace {

// Gauss-Jordan elimination one pivot at a time.
std::vector<std::uint32_t> slow_reduce(BitMatrix& matrix, std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> pivots;
  for (const std::uint32_t column : order) {
    const std::size_t next = pivots.size();
    std::size_t found = next;
    while (found < matrix.rows() && !matrix.get(found, column)) ++found;
    if (found == matrix.rows()) continue;
    matrix.swap_rows(found, next);
    for (std::size_t r = 0; r < matrix.rows(); ++r) {
      if (r != next && matrix.get(r, column)) matrix.add_row(next, r);
    }
    pivots.push_back(column);
  }
  return pivots;
}

TEST(BitMatrix, ReducingInBlocksIsReducingOneByOne) {
  Rng rng(3);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t rows = 1 + rng.below(40), columns = 1 + rng.below(150);
    BitMatrix fast(rows, columns);
    const std::size_t ones = rng.below(rows * columns + 1);
    for (std::size_t i = 0; i < ones; ++i) fast.set(rng.below(rows), rng.below(columns));
    for (std::size_t r = 2; r < rows; r += 3) fast.add_row(r - 1, r);
    BitMatrix slow = fast;
    std::vector<std::uint32_t> order(columns);
    std::iota(order.begin(), order.end(), 0u);
    rng.shuffle(order);
    const auto pivots = slow_reduce(slow, order);
    EXPECT_EQ(reduce(fast, order), pivots);
    for (std::size_t r = 0; r < rows; ++r) {
      EXPECT_TRUE(std::ranges::equal(fast.row(r), slow.row(r))) << "row " << r;
    }
  }
}

}  // namespace
}  // namespace fgnn::codes
