#include "fgnn/kernels/activation.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/reference/differences.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::same_numbers;

constexpr Activation kAll[] = {Activation::identity, Activation::relu,    Activation::leaky,
                               Activation::tanh,     Activation::sigmoid, Activation::exp,
                               Activation::log};

class EachActivation : public ::testing::TestWithParam<Activation> {};
INSTANTIATE_TEST_SUITE_P(Activation, EachActivation, ::testing::ValuesIn(kAll),
                         [](const auto& given) { return std::string(name_of(given.param)); });

TEST_P(EachActivation, SlopeAtTheValueEqualsDifferences) {
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    double x = 2 * rng.normal();
    if (std::abs(x) < 1e-3) continue;  // a kink
    const double gradient = slope(GetParam(), apply(GetParam(), x));
    const auto d = testing::difference([&](double by) { x += by; },
                                       [&] { return apply(GetParam(), x); }, 1e-6);
    EXPECT_NEAR(gradient, d.slope, 1e-6 * std::max(1.0, std::abs(d.slope))) << x;
  }
}

TEST_P(EachActivation, RowsAreTheNumbersOneByOne) {
  Rng rng(2);
  const auto x = testing::normal_numbers<double>(rng, 37), weight = x;
  auto y = x;
  apply(GetParam(), y.data(), y.size());
  auto gradient = weight;
  multiply_slope(GetParam(), y.data(), gradient.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(y[i], apply(GetParam(), x[i]), 1e-14 * std::max(1.0, std::abs(y[i])));
    // One or two roundings, as the processor has it.
    EXPECT_NEAR(gradient[i], weight[i] * slope(GetParam(), y[i]),
                1e-15 * (1 + std::abs(weight[i])));
  }
}

TEST_P(EachActivation, PassesOnWhatIsNoNumber) {
  EXPECT_TRUE(std::isnan(apply(GetParam(), std::nan(""))));
  std::vector<float> x{std::nanf(""), 1};
  apply(GetParam(), x.data(), x.size());
  EXPECT_TRUE(std::isnan(x[0]));
  EXPECT_FALSE(std::isnan(x[1]));
}

TEST_P(EachActivation, NamesReadBack) {
  EXPECT_EQ(from_word<Activation>(name_of(GetParam())), GetParam());
}

TEST(Activation, ExpAndLogAreThoseOfTheLibrary) {
  for (const double x : {1e-200, 0.3, 1.0, 7.0, 1e30}) {
    EXPECT_EQ(apply(Activation::log, x), std::log(x));
  }
  for (const double x : {-700.0, -1.0, 0.0, 3.0}) EXPECT_EQ(apply(Activation::exp, x), std::exp(x));
  EXPECT_EQ(apply(Activation::exp, 1000.0), std::numeric_limits<double>::infinity());
}

template <class T>
void expect_floor(T least) {
  for (const T x : {T(0), T(-0.0), T(-5), least / 2, -std::numeric_limits<T>::infinity()}) {
    const T y = apply(Activation::log, x);
    EXPECT_EQ(y, std::log(least)) << x;
    EXPECT_EQ(slope(Activation::log, y), 0) << x;  // flat
  }
  EXPECT_GT(apply(Activation::log, 4 * least), std::log(least));
  // Slopes end earlier: 1/x of what is noise would be the largest gradient of all.
  const T noise = kLeastSloped<T>;
  EXPECT_EQ(slope(Activation::log, apply(Activation::log, noise / 2)), 0);
  EXPECT_NEAR(slope(Activation::log, apply(Activation::log, 4 * noise)) * (4 * noise), 1, 1e-4);
}

TEST(Activation, ANumbersResultDoesNotDependOnItsPlace) {
  Rng rng(4);
  for (const auto f : kAll) {
    const auto x = testing::normal_numbers<float>(rng, 67);
    auto whole = x;
    apply(f, whole.data(), whole.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      float one = x[i];
      apply(f, &one, 1);
      EXPECT_TRUE(one == whole[i] || (std::isnan(one) && std::isnan(whole[i]))) << name_of(f) << i;
    }
  }
}

TEST(Activation, RowsOverflowLikeNumbers) {
  std::vector<double> x{1000, -1000, 709};
  apply(Activation::exp, x.data(), x.size());
  EXPECT_EQ(x[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(x[1], 0);
  EXPECT_TRUE(std::isfinite(x[2]));
}

TEST(Activation, LogIsFlatBelowItsFloor) {
  expect_floor<double>(1e-300);
  expect_floor<float>(1e-30f);
}

TEST(Activation, UnknownNamesAreErrors) {
  testing::expect_error(ErrorCode::usage, "'gelu' is not an activation",
                        [] { from_word<Activation>("gelu"); });
}

}  // namespace
}  // namespace fgnn::kernels
