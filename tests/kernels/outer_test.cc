#include "fgnn/kernels/outer.h"

#include <gtest/gtest.h>

#include "tests/kernels/tools.h"
#include "tests/reference/message.h"

namespace fgnn::kernels {
namespace {

struct Case {
  testing::Edges edges;
  std::size_t copies = 2, bases = 4;
  bool per_copy = false;
  MessageOptions options{5, 3, Activation::tanh, {Aggregate::sum}, 1};
  std::vector<double> target, source, matrices, coefficients;
  std::vector<std::uint8_t> mask;

  template <class T>
  struct Numbers {
    std::vector<T> target, source, matrices, coefficients;
  };
  template <class T>
  Numbers<T> as() const {
    return {{target.begin(), target.end()},
            {source.begin(), source.end()},
            {matrices.begin(), matrices.end()},
            {coefficients.begin(), coefficients.end()}};
  }
  template <class T>
  MessageInput<T> input(const Incidence* incidence, const Numbers<T>& x) const {
    return {incidence,
            copies,
            x.target.empty() ? nullptr : x.target.data(),
            x.source.data(),
            x.matrices.data(),
            x.coefficients.data(),
            bases,
            per_copy,
            mask.empty() ? nullptr : mask.data()};
  }
  template <class T>
  std::vector<T> forward(int threads = 1) const {
    const Incidence incidence = edges.incidence();
    std::vector<T> out(copies * edges.targets * options.out, 777);
    const auto numbers = as<T>();
    outer_forward(input(&incidence, numbers), options, out.data(), threads);
    return out;
  }
  Numbers<double> backward(const std::vector<double>& slopes) const {
    const Incidence incidence = edges.incidence();
    const auto numbers = as<double>();
    auto g = numbers;
    std::vector<double> transposed(numbers.matrices.size());
    message_transpose(numbers.matrices.data(), bases, true, options, transposed.data());
    outer_backward<double>(input(&incidence, numbers), transposed.data(), options, slopes.data(),
                           {g.target.empty() ? nullptr : g.target.data(), g.source.data(),
                            g.matrices.data(), g.coefficients.data()});
    return g;
  }
  std::vector<double> slow() const {
    return testing::message(edges, input<double>(nullptr, as<double>()), options);
  }
};

Case random_case(Rng& rng, Aggregate aggregate, bool with_target, bool per_copy, bool masked) {
  Case c;
  c.edges = testing::random_edges(rng, 6, 5, 7, 16);
  c.per_copy = per_copy;
  c.options.aggregates = {aggregate};
  if (with_target) c.target = normal_numbers<double>(rng, c.copies * 6 * c.options.hidden);
  c.source = normal_numbers<double>(rng, c.copies * 5 * c.options.hidden);
  c.matrices = normal_numbers<double>(rng, c.bases * c.options.hidden * c.options.out);
  c.coefficients = normal_numbers<double>(rng, (per_copy ? c.copies : 1) * 7 * c.bases);
  for (std::size_t e = 0; masked && e < c.copies * 16; ++e) {
    c.mask.push_back(static_cast<std::uint8_t>(rng.below(2)));
  }
  return c;
}

template <class Body>
void on_each_case(Rng& rng, Body body) {
  for (const Aggregate aggregate : {Aggregate::sum, Aggregate::mean}) {
    for (int bits = 0; bits < 8; ++bits) {
      SCOPED_TRACE(bits);
      body(random_case(rng, aggregate, bits & 1, bits & 2, bits & 4));
    }
  }
}

TEST(Outer, ForwardEqualsTheMessagesOneByOne) {
  Rng rng(1);
  on_each_case(rng, [](const Case& c) {
    EXPECT_TRUE(same_numbers(c.forward<double>(), c.slow(), 1e-12));
    EXPECT_TRUE(same_numbers(c.forward<float>(), c.slow(), 1e-4));
  });
}

TEST(Outer, BackwardEqualsDifferences) {
  Rng rng(2);
  on_each_case(rng, [&](Case c) {
    const auto weight = normal_numbers<double>(rng, c.copies * c.edges.targets * c.options.out);
    const auto g = c.backward(weight);
    const auto value = [&] { return dot(c.forward<double>(), weight); };
    expect_gradient(c.target, g.target, value, "target", rng, 60);
    expect_gradient(c.source, g.source, value, "source", rng, 60);
    expect_gradient(c.matrices, g.matrices, value, "matrices", rng, 60);
    expect_gradient(c.coefficients, g.coefficients, value, "coefficients", rng, 60);
  });
}

// Wider than a vector, and more targets than are taken at a time.
TEST(Outer, EqualsTheMessagesInManyBlocks) {
  Rng rng(3);
  Case c;
  c.edges = testing::random_edges(rng, 130, 40, 200, 700);
  c.bases = 33;
  c.options = {37, 18, Activation::relu, {Aggregate::mean}, 1};
  c.source = normal_numbers<double>(rng, 2 * 40 * 37);
  c.matrices = normal_numbers<double>(rng, 33 * 37 * 18, 0.1);
  c.coefficients = normal_numbers<double>(rng, 200 * 33, 0.1);
  const auto want = c.slow();
  EXPECT_TRUE(same_numbers(c.forward<double>(), want, 1e-11));
  EXPECT_TRUE(same_numbers(c.forward<float>(), want, 1e-4));
  EXPECT_EQ(c.forward<float>(1), c.forward<float>(3));
  const auto weight = normal_numbers<double>(rng, want.size());
  const auto g = c.backward(weight);
  const auto value = [&] { return dot(c.forward<double>(), weight); };
  expect_gradient(c.source, g.source, value, "source", rng, 12);
  expect_gradient(c.matrices, g.matrices, value, "matrices", rng, 12);
  expect_gradient(c.coefficients, g.coefficients, value, "coefficients", rng, 12);
}

TEST(Outer, TakesSumsAndMeansAlone) {
  MessageOptions o;
  for (const auto& [aggregates, takes] : {std::pair(std::vector{Aggregate::sum}, true),
                                          {{Aggregate::mean}, true},
                                          {{Aggregate::max}, false},
                                          {{Aggregate::sum, Aggregate::mean}, false}}) {
    o.aggregates = aggregates;
    EXPECT_EQ(is_linear(o), takes);
  }
}

}  // namespace
}  // namespace fgnn::kernels
