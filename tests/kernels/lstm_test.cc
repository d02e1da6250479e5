#include "fgnn/kernels/lstm.h"

#include <gtest/gtest.h>

#include "tests/kernels/tools.h"

namespace fgnn::kernels {
namespace {

struct Cell {
  std::size_t rows, width;
  std::vector<double> a, b, state;

  std::vector<double> forward(int threads = 1) const {
    std::vector<double> out(rows * 2 * width, 777);
    lstm_forward(a.data(), b.data(), state.data(), rows, width, out.data(), threads);
    return out;
  }
  Cell backward(const std::vector<double>& slopes, int threads = 1) const {
    Cell g = *this;
    lstm_backward(a.data(), b.data(), state.data(), rows, width, slopes.data(), g.a.data(),
                  g.state.data(), threads);
    g.b = g.a;
    return g;
  }
};

Cell random_cell(Rng& rng, std::size_t rows, std::size_t width) {
  return {rows, width, normal_numbers<double>(rng, 4 * rows * width),
          normal_numbers<double>(rng, 4 * rows * width),
          normal_numbers<double>(rng, 2 * rows * width)};
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Lstm, ForwardEqualsTheFormula) {
  Rng rng(1);
  const Cell c = random_cell(rng, 5, 3);
  std::vector<double> want(30);
  for (std::size_t r = 0; r < 5; ++r) {
    for (std::size_t j = 0; j < 3; ++j) {
      const auto gate = [&](std::size_t k) {
        return c.a[r * 12 + k * 3 + j] + c.b[r * 12 + k * 3 + j];
      };
      const double cell =
          sigmoid(gate(1)) * c.state[r * 6 + 3 + j] + sigmoid(gate(0)) * std::tanh(gate(2));
      want[r * 6 + j] = sigmoid(gate(3)) * std::tanh(cell);
      want[r * 6 + 3 + j] = cell;
    }
  }
  EXPECT_TRUE(same_numbers(c.forward(), want, 1e-14));
  const std::vector<float> a(c.a.begin(), c.a.end()), b(c.b.begin(), c.b.end()),
      state(c.state.begin(), c.state.end());
  std::vector<float> out(30);
  lstm_forward(a.data(), b.data(), state.data(), 5, 3, out.data(), 1);
  EXPECT_TRUE(same_numbers(out, want, 1e-6));
}

TEST(Lstm, BackwardEqualsDifferences) {
  Rng rng(2);
  Cell c = random_cell(rng, 4, 5);
  const auto weight = normal_numbers<double>(rng, 40);
  const Cell g = c.backward(weight);
  const auto value = [&] { return dot(c.forward(), weight); };
  expect_gradient(c.a, g.a, value, "a", rng, 80);
  expect_gradient(c.b, g.b, value, "b", rng, 80);
  expect_gradient(c.state, g.state, value, "state", rng, 40);
}

TEST(Lstm, ThreadsAgreeExactly) {
  Rng rng(3);
  const Cell c = random_cell(rng, 101, 7);
  const auto weight = normal_numbers<double>(rng, 2 * 707);
  EXPECT_EQ(c.forward(1), c.forward(2));
  const Cell one = c.backward(weight, 1), two = c.backward(weight, 2);
  EXPECT_EQ(one.a, two.a);
  EXPECT_EQ(one.state, two.state);
}

}  // namespace
}  // namespace fgnn::kernels
