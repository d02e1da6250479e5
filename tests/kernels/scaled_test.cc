#include "fgnn/kernels/scaled.h"

#include <gtest/gtest.h>

#include "tests/kernels/tools.h"
#include "tests/reference/expect_error.h"

namespace fgnn::kernels {
namespace {

using testing::expect_error;

struct Case {
  std::size_t targets, sources, kinds, copies, width;
  std::vector<Index> target, source, kind;
  std::vector<double> x, scale, shift;
  std::vector<std::uint8_t> mask;
  Activation activation;
  Aggregate aggregate;

  static Case random(Rng& rng, Activation activation, Aggregate aggregate, std::size_t width = 5,
                     bool masked = false) {
    Case c{6, 5, 3, 2, width, {}, {}, {}, {}, {}, {}, {}, activation, aggregate};
    for (Index t = 0; t < c.targets; ++t) {  // the first target stays without edges
      for (Index e = 0; e < t; ++e) {
        c.target.push_back(t);
        c.source.push_back(static_cast<Index>(rng.below(c.sources)));
        c.kind.push_back(static_cast<Index>(rng.below(c.kinds)));
      }
    }
    c.x = normal_numbers<double>(rng, c.copies * c.sources * width);
    c.scale = normal_numbers<double>(rng, c.kinds * width);
    c.shift = normal_numbers<double>(rng, c.kinds * width);
    if (masked) {
      for (std::size_t e = 0; e < c.copies * c.target.size(); ++e)
        c.mask.push_back(static_cast<std::uint8_t>(rng.below(2)));
    }
    return c;
  }
  Incidence edges() const { return {targets, sources, kinds, target, source, kind}; }
  ScaledInput<double> input(const Incidence& edges) const {
    return {&edges,
            copies,
            width,
            x.data(),
            scale.data(),
            shift.empty() ? nullptr : shift.data(),
            mask.empty() ? nullptr : mask.data(),
            activation,
            aggregate};
  }
  std::vector<double> forward(int threads = 1) const {
    const Incidence e = edges();
    std::vector<double> out(copies * targets * width, 777);
    scaled_forward(input(e), out.data(), threads);
    return out;
  }
  Case backward(const std::vector<double>& gradient, int threads = 1) const {
    const Incidence e = edges();
    Case g = *this;
    scaled_backward(input(e), gradient.data(), g.x.data(), g.scale.data(),
                    shift.empty() ? nullptr : g.shift.data(), threads);
    return g;
  }
  // The definition, number by number.
  std::vector<double> slow() const {
    std::vector<double> out;
    for (std::size_t b = 0; b < copies; ++b) {
      for (std::size_t t = 0; t < targets; ++t) {
        for (std::size_t j = 0; j < width; ++j) {
          std::vector<double> messages;
          for (std::size_t e = 0; e < target.size(); ++e) {
            if (target[e] != t || (!mask.empty() && mask[b * target.size() + e] == 0)) continue;
            const double moved = shift.empty() ? 0 : shift[kind[e] * width + j];
            messages.push_back(apply(
                activation,
                scale[kind[e] * width + j] * x[(b * sources + source[e]) * width + j] + moved));
          }
          double sum = 0, product = 1;
          for (const double z : messages) sum += z, product *= z;
          out.push_back(aggregate == Aggregate::sum       ? sum
                        : aggregate == Aggregate::product ? product
                        : messages.empty()                ? 0
                                           : *std::max_element(messages.begin(), messages.end()));
        }
      }
    }
    return out;
  }
};

constexpr Aggregate kAggregates[] = {Aggregate::sum, Aggregate::product, Aggregate::max};

TEST(Scaled, ForwardEqualsTheDefinition) {
  Rng rng(1);
  for (const auto aggregate : kAggregates) {
    for (const auto activation : {Activation::identity, Activation::relu, Activation::tanh}) {
      for (const std::size_t width : {1, 5, 600}) {
        for (const bool masked : {false, true}) {
          Case c = Case::random(rng, activation, aggregate, width, masked);
          EXPECT_TRUE(same_numbers(c.forward(), c.slow(), 1e-12));
          c.shift.clear();
          EXPECT_TRUE(same_numbers(c.forward(), c.slow(), 1e-12));
        }
      }
    }
  }
}

TEST(Scaled, BackwardEqualsDifferences) {
  Rng rng(2);
  for (const auto aggregate : kAggregates) {
    for (const auto activation : {Activation::identity, Activation::relu, Activation::tanh}) {
      for (const bool masked : {false, true}) {
        Case c = Case::random(rng, activation, aggregate, 5, masked);
        const auto weight = normal_numbers<double>(rng, c.copies * c.targets * c.width);
        const Case g = c.backward(weight);
        const auto value = [&] { return dot(c.forward(), weight); };
        expect_gradient(c.x, g.x, value, "x", rng, 60);
        expect_gradient(c.scale, g.scale, value, "scale", rng, 60);
        expect_gradient(c.shift, g.shift, value, "shift", rng, 60);
      }
    }
  }
}

TEST(Scaled, TheGradientOfAProductIsExactWhereMessagesAreZero) {
  Rng rng(3);
  Case c = Case::random(rng, Activation::relu, Aggregate::product);
  for (double& s : c.shift) s -= 1;  // most messages are zero
  const auto weight = normal_numbers<double>(rng, c.copies * c.targets * c.width);
  const Case g = c.backward(weight);
  expect_gradient(
      c.x, g.x, [&] { return dot(c.forward(), weight); }, "x", rng, 60);
}

TEST(Scaled, ThreadsAgreeExactly) {
  Rng rng(4);
  const Case c = Case::random(rng, Activation::tanh, Aggregate::product, 900);
  const auto weight = normal_numbers<double>(rng, c.copies * c.targets * c.width);
  EXPECT_EQ(c.forward(1), c.forward(3));
  const Case one = c.backward(weight, 1), three = c.backward(weight, 3);
  EXPECT_EQ(one.x, three.x);
  EXPECT_EQ(one.scale, three.scale);
  EXPECT_EQ(one.shift, three.shift);
}

TEST(Scaled, RefusesOtherAggregators) {
  Rng rng(5);
  const Case c = Case::random(rng, Activation::relu, Aggregate::mean);
  expect_error(ErrorCode::usage, "not aggregated by mean", [&] { c.forward(); });
}

}  // namespace
}  // namespace fgnn::kernels
