#include "fgnn/kernels/gated.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reference/differences.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::dot;
using testing::expect_error;
using testing::expect_gradient;
using testing::normal_numbers;
using testing::same_numbers;

struct Case {
  static constexpr std::size_t kTargets = 5, kSources = 4, kKinds = 11, kCopies = 2, kWidth = 7;
  std::vector<Index> target, source, kind;
  std::vector<double> x, y, shift, gate;
  Aggregate aggregate;

  Case(Rng& rng, Aggregate a) : aggregate(a) {
    for (Index t = 0; t < kTargets; ++t) {  // the first stays without edges
      for (Index e = 0; e < t; ++e) {
        target.push_back(t);
        source.push_back(static_cast<Index>(rng.below(kSources)));
        kind.push_back(static_cast<Index>(kind.size()));
      }
    }
    x = normal_numbers<double>(rng, kCopies * kTargets * kWidth);
    y = normal_numbers<double>(rng, kCopies * kSources * kWidth);
    shift = normal_numbers<double>(rng, kCopies * kKinds * kWidth);
    gate = normal_numbers<double>(rng, kCopies * kKinds * kWidth);
  }
  Incidence edges() const { return {kTargets, kSources, kKinds, target, source, kind}; }
  GatedInput<double> input(const Incidence& e) const {
    return {&e,           kCopies,     kWidth,           x.data(), y.data(),
            shift.data(), gate.data(), Activation::tanh, aggregate};
  }
  std::vector<double> forward(std::vector<std::uint32_t>* where = nullptr) const {
    const Incidence e = edges();
    std::vector<double> out(x.size(), 777);
    gated_forward(input(e), out.data(), where);
    return out;
  }
  // The definition, number by number.
  std::vector<double> slow() const {
    std::vector<double> out;
    for (std::size_t b = 0; b < kCopies; ++b) {
      for (std::size_t t = 0; t < kTargets; ++t) {
        for (std::size_t j = 0; j < kWidth; ++j) {
          std::vector<double> m;
          for (std::size_t e = 0; e < target.size(); ++e) {
            if (target[e] != t) continue;
            const std::size_t k = (b * kKinds + kind[e]) * kWidth + j;
            m.push_back(gate[k] * std::tanh(x[(b * kTargets + t) * kWidth + j] +
                                            y[(b * kSources + source[e]) * kWidth + j] + shift[k]));
          }
          double sum = 0;
          for (const double v : m) sum += v;
          out.push_back(m.empty()                     ? 0
                        : aggregate == Aggregate::max ? *std::ranges::max_element(m)
                        : aggregate == Aggregate::sum ? sum
                                                      : sum / static_cast<double>(m.size()));
        }
      }
    }
    return out;
  }
};

TEST(Gated, MessagesAreThoseOfTheDefinition) {
  Rng rng(1);
  for (const auto a : {Aggregate::max, Aggregate::sum, Aggregate::mean}) {
    const Case c(rng, a);
    EXPECT_TRUE(same_numbers(c.forward(), c.slow(), 1e-12)) << name_of(a);
  }
}

TEST(Gated, GradientsAreThoseOfDifferences) {
  Rng rng(2);
  for (const auto a : {Aggregate::max, Aggregate::sum, Aggregate::mean}) {
    Case c(rng, a);
    std::vector<std::uint32_t> where;
    c.forward(&where);
    const auto dy = normal_numbers<double>(rng, c.x.size());
    Case g = c;
    const Incidence e = c.edges();
    gated_backward<double>(c.input(e), where, dy.data(),
                           {g.x.data(), g.y.data(), g.shift.data(), g.gate.data()});
    const auto value = [&] { return dot(c.slow(), dy); };
    expect_gradient(c.x, g.x, value, "target", rng);
    expect_gradient(c.y, g.y, value, "source", rng);
    expect_gradient(c.shift, g.shift, value, "shift", rng);
    expect_gradient(c.gate, g.gate, value, "gate", rng);
  }
}

TEST(Gated, OtherAggregatorsAreRefused) {
  Rng rng(3);
  const Case c(rng, Aggregate::product);
  expect_error(ErrorCode::usage, "not aggregated by product", [&] { c.forward(); });
}

}  // namespace
}  // namespace fgnn::kernels
