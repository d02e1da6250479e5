#include "fgnn/kernels/gru.h"

#include <gtest/gtest.h>

#include "tests/kernels/tools.h"

namespace fgnn::kernels {
namespace {

struct Cell {
  std::size_t rows, width;
  std::vector<double> a, b, h;

  std::vector<double> forward(int threads = 1) const {
    std::vector<double> out(rows * width, 777);
    gru_forward(a.data(), b.data(), h.data(), rows, width, out.data(), threads);
    return out;
  }
  Cell backward(const std::vector<double>& gradient, int threads = 1) const {
    Cell g = *this;
    gru_backward(a.data(), b.data(), h.data(), rows, width, gradient.data(), g.a.data(), g.b.data(),
                 g.h.data(), threads);
    return g;
  }
};

Cell random_cell(Rng& rng, std::size_t rows, std::size_t width) {
  return {rows, width, normal_numbers<double>(rng, 3 * rows * width),
          normal_numbers<double>(rng, 3 * rows * width), normal_numbers<double>(rng, rows * width)};
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Gru, ForwardEqualsTheFormula) {
  Rng rng(1);
  const Cell c = random_cell(rng, 5, 3);
  std::vector<double> want;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double* a = &c.a[i * 9];
      const double* b = &c.b[i * 9];
      const double r = sigmoid(a[j] + b[j]), z = sigmoid(a[3 + j] + b[3 + j]);
      const double n = std::tanh(a[6 + j] + r * b[6 + j]);
      want.push_back((1 - z) * n + z * c.h[i * 3 + j]);
    }
  }
  EXPECT_TRUE(same_numbers(c.forward(), want, 1e-14));
  const std::vector<float> a(c.a.begin(), c.a.end()), b(c.b.begin(), c.b.end()),
      h(c.h.begin(), c.h.end());
  std::vector<float> out(15);
  gru_forward(a.data(), b.data(), h.data(), 5, 3, out.data(), 1);
  EXPECT_TRUE(same_numbers(out, want, 1e-6));
}

TEST(Gru, BackwardEqualsDifferences) {
  Rng rng(2);
  Cell c = random_cell(rng, 4, 5);
  const auto weight = normal_numbers<double>(rng, 20);
  const Cell g = c.backward(weight);
  const auto value = [&] { return dot(c.forward(), weight); };
  expect_gradient(c.a, g.a, value, "a", rng, 60);
  expect_gradient(c.b, g.b, value, "b", rng, 60);
  expect_gradient(c.h, g.h, value, "h", rng, 60);
}

TEST(Gru, ThreadsAgreeExactly) {
  Rng rng(3);
  const Cell c = random_cell(rng, 101, 7);
  const auto weight = normal_numbers<double>(rng, 707);
  EXPECT_EQ(c.forward(1), c.forward(2));
  const Cell one = c.backward(weight, 1), two = c.backward(weight, 2);
  EXPECT_EQ(one.a, two.a);
  EXPECT_EQ(one.b, two.b);
  EXPECT_EQ(one.h, two.h);
}

}  // namespace
}  // namespace fgnn::kernels
