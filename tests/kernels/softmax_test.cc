#include "fgnn/kernels/softmax.h"

#include <gtest/gtest.h>

#include "tests/kernels/tools.h"

namespace fgnn::kernels {
namespace {

template <class T>
std::vector<T> forward(const std::vector<T>& x, std::size_t width, int threads = 1) {
  std::vector<T> y(x.size(), T(777));
  softmax_forward(x.data(), x.size() / width, width, y.data(), threads);
  return y;
}

template <class T>
std::vector<T> backward(const std::vector<T>& x, const std::vector<T>& dy, std::size_t width,
                        int threads = 1) {
  const auto y = forward(x, width);
  std::vector<T> dx(x.size(), T(777));
  softmax_backward(y.data(), dy.data(), x.size() / width, width, dx.data(), threads);
  return dx;
}

std::vector<double> naive(const std::vector<double>& x, std::size_t width) {
  std::vector<double> y;
  for (std::size_t r = 0; r < x.size() / width; ++r) {
    double sum = 0;
    for (std::size_t j = 0; j < width; ++j) sum += std::exp(x[r * width + j]);
    for (std::size_t j = 0; j < width; ++j) y.push_back(std::exp(x[r * width + j]) / sum);
  }
  return y;
}

TEST(Softmax, EqualsTheFormula) {
  Rng rng(1);
  for (const std::size_t width : {1, 2, 3, 8, 33}) {
    const auto x = normal_numbers<float>(rng, 7 * width, 2);
    const std::vector<double> exact(x.begin(), x.end());
    const auto want = naive(exact, width);
    EXPECT_TRUE(same_numbers(forward(exact, width), want, 1e-15));
    EXPECT_TRUE(same_numbers(forward(x, width), want, 1e-6));
  }
}

TEST(Softmax, DependsOnDifferencesAlone) {
  EXPECT_EQ(forward<double>({1e300, 1e300, -1e300}, 3), (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_EQ(forward<float>({3e38f, -3e38f}, 2), (std::vector<float>{1, 0}));
  EXPECT_EQ(forward<float>({-3e38f, -3e38f}, 2), (std::vector<float>{0.5, 0.5}));
  EXPECT_EQ(forward<double>({-5000, -5001}, 2), forward<double>({5001, 5000}, 2));
  const double forbidden = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(forward<double>({forbidden, 2, 2}, 3), (std::vector<double>{0, 0.5, 0.5}));
}

TEST(Softmax, PassesOnWhatIsNoNumber) {
  const auto y = forward<double>({0, std::nan(""), 1, 2, 2, 2}, 3);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_TRUE(std::isnan(y[j]));
  for (std::size_t j = 3; j < 6; ++j) EXPECT_NEAR(y[j], 1. / 3, 1e-15);  // the row of its own
}

TEST(Softmax, BackwardEqualsDifferences) {
  Rng rng(2);
  for (const std::size_t width : {1, 2, 5}) {
    auto x = normal_numbers<double>(rng, 6 * width);
    const auto weight = normal_numbers<double>(rng, x.size());
    testing::expect_gradient(
        x, backward(x, weight, width), [&] { return dot(forward(x, width), weight); }, "x", rng,
        100);
    const std::vector<float> rounded(x.begin(), x.end()), w(weight.begin(), weight.end());
    EXPECT_TRUE(same_numbers(backward(rounded, w, width), backward(x, weight, width), 1e-5));
  }
}

TEST(Softmax, ThreadsAgreeExactly) {
  Rng rng(3);
  const auto x = normal_numbers<float>(rng, 5000 * 3), dy = normal_numbers<float>(rng, 5000 * 3);
  EXPECT_EQ(forward(x, 3, 1), forward(x, 3, 2));
  EXPECT_EQ(backward(x, dy, 3, 1), backward(x, dy, 3, 2));
}

// Each column of each segment is a row of its own.
TEST(Softmax, ColumnsOfSegmentsEqualRows) {
  Rng rng(4);
  const std::vector<std::size_t> offset{0, 3, 3, 4, 9};  // one segment is empty
  const std::size_t width = 2;
  const auto x = normal_numbers<double>(rng, 18), dy = normal_numbers<double>(rng, 18);
  std::vector<double> y(18), dx(18);
  softmax_columns_forward<double>(x.data(), offset, width, y.data());
  softmax_columns_backward<double>(y.data(), dy.data(), offset, width, dx.data());
  for (std::size_t s = 0; s + 1 < offset.size(); ++s) {
    for (std::size_t j = 0; j < width; ++j) {
      const auto column = [&](const std::vector<double>& all) {
        std::vector<double> one;
        for (std::size_t r = offset[s]; r < offset[s + 1]; ++r) one.push_back(all[r * width + j]);
        return one;
      };
      const auto own = column(x);
      if (own.empty()) continue;
      EXPECT_TRUE(same_numbers(column(y), naive(own, own.size()), 1e-14));
      EXPECT_TRUE(same_numbers(column(dx), backward(own, column(dy), own.size()), 1e-14));
    }
  }
}

}  // namespace
}  // namespace fgnn::kernels
