#include "fgnn/kernels/linear.h"

#include <gtest/gtest.h>

#include "tests/kernels/tools.h"

namespace fgnn::kernels {
namespace {

template <class T>
struct Layer {
  std::size_t rows, out_width;
  std::vector<std::size_t> widths;
  Activation activation;
  std::vector<std::vector<T>> x;
  std::vector<T> weight, bias;  // an empty bias is none

  std::vector<Rows<T>> inputs() const {
    std::vector<Rows<T>> all;
    for (std::size_t i = 0; i < x.size(); ++i) all.push_back({x[i].data(), widths[i]});
    return all;
  }
  std::vector<T> forward(int threads = 1) const {
    std::vector<T> out(rows * out_width, T(777));
    linear_forward<T>(inputs(), rows, weight.data(), bias.empty() ? nullptr : bias.data(),
                      out_width, activation, out.data(), threads);
    return out;
  }
  std::vector<double> directly() const {
    std::vector<double> out;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < out_width; ++j) {
        double sum = bias.empty() ? 0 : bias[j];
        std::size_t row = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
          for (std::size_t i = 0; i < widths[k]; ++i, ++row) {
            sum += static_cast<double>(x[k][r * widths[k] + i]) * weight[row * out_width + j];
          }
        }
        out.push_back(apply(activation, sum));
      }
    }
    return out;
  }
  std::vector<T> transposed() const {
    std::vector<T> result(weight.size());
    linear_transpose<T>(widths, weight.data(), out_width, result.data());
    return result;
  }
  // Of <weight, out>.
  Layer backward(std::vector<T> out_gradient, int threads = 1) const {
    Layer g = *this;
    std::vector<RowsGradient<T>> pointers;
    for (auto& input : g.x) {
      std::fill(input.begin(), input.end(), T(777));
      pointers.push_back({input.data(), false});
    }
    std::fill(g.weight.begin(), g.weight.end(), T(777));
    linear_backward<T>(inputs(), rows, transposed().data(), out_width, activation,
                       forward(threads).data(), out_gradient.data(), pointers, g.weight.data(),
                       g.bias.empty() ? nullptr : g.bias.data(), threads);
    return g;
  }
};

template <class T>
Layer<T> random_layer(Rng& rng, std::size_t rows, std::vector<std::size_t> widths, std::size_t out,
                      Activation activation, bool bias) {
  Layer<T> l{rows, out, widths, activation, {}, {}, {}};
  std::size_t total = 0;
  for (const std::size_t w : widths) {
    l.x.push_back(normal_numbers<T>(rng, rows * w));
    total += w;
  }
  l.weight = normal_numbers<T>(rng, total * out, 0.5);
  if (bias) l.bias = normal_numbers<T>(rng, out);
  return l;
}

constexpr Activation kActivations[] = {Activation::identity, Activation::relu, Activation::leaky,
                                       Activation::tanh, Activation::sigmoid};

TEST(Linear, ForwardEqualsTheFormula) {
  Rng rng(1);
  for (const Activation f : kActivations) {
    for (const bool bias : {false, true}) {
      for (const std::size_t rows : {1u, 2u, 127u, 128u, 129u, 300u}) {
        const auto d = random_layer<double>(rng, rows, {3, 1, 8}, 17, f, bias);
        EXPECT_TRUE(same_numbers(d.forward(), d.directly(), 1e-13));
        const auto s = random_layer<float>(rng, rows, {33}, 5, f, bias);
        EXPECT_TRUE(same_numbers(s.forward(), s.directly(), 1e-5));
      }
    }
  }
}

TEST(Linear, BackwardEqualsDifferences) {
  Rng rng(2);
  for (const Activation f : kActivations) {
    for (const bool bias : {false, true}) {
      for (const auto& widths : {std::vector<std::size_t>{4}, {3, 5}, {1, 2, 9}, {16, 1, 1, 3}}) {
        auto l = random_layer<double>(rng, 6, widths, 7, f, bias);
        const auto weight = normal_numbers<double>(rng, 6 * 7);
        const auto g = l.backward(weight);
        const auto value = [&] { return dot(l.forward(), weight); };
        for (std::size_t k = 0; k < widths.size(); ++k) {
          expect_gradient(l.x[k], g.x[k], value, "an input", rng);
        }
        expect_gradient(l.weight, g.weight, value, "weight", rng);
        expect_gradient(l.bias, g.bias, value, "bias", rng);
      }
    }
  }
}

TEST(Linear, GradientsNotAskedForAreLeftOut) {
  Rng rng(3);
  const auto l = random_layer<double>(rng, 40, {3, 4}, 5, Activation::tanh, true);
  const auto weight = normal_numbers<double>(rng, 40 * 5);
  const auto g = l.backward(weight);
  const auto out = l.forward();
  auto dy = weight;
  std::vector<double> second(40 * 4);
  RowsGradient<double> pointers[] = {{}, {second.data(), false}};
  linear_backward<double>(l.inputs(), 40, l.transposed().data(), 5, l.activation, out.data(),
                          dy.data(), pointers, nullptr, nullptr, 1);
  EXPECT_EQ(second, g.x[1]);
  for (std::size_t i = 0; i < dy.size(); ++i) {  // now before the activation
    EXPECT_NEAR(dy[i], weight[i] * (1 - out[i] * out[i]), 1e-15);
  }
}

TEST(Linear, GradientsMayBeAddedToWhatIsThere) {
  Rng rng(6);
  const auto l = random_layer<double>(rng, 300, {3, 4}, 5, Activation::identity, false);
  auto dy = normal_numbers<double>(rng, 300 * 5);
  const auto g = l.backward(dy);
  std::vector<double> first(300 * 3, 2), second(300 * 4, 777);
  const RowsGradient<double> pointers[] = {{first.data(), true}, {second.data(), false}};
  linear_backward<double>(l.inputs(), 300, l.transposed().data(), 5, l.activation, nullptr,
                          dy.data(), pointers, nullptr, nullptr, 1);
  for (double& x : first) x -= 2;
  EXPECT_TRUE(same_numbers(first, g.x[0], 1e-12));
  EXPECT_EQ(second, g.x[1]);
}

TEST(Linear, ThreadsAgreeUpToRoundingAndRepeatExactly) {
  Rng rng(4);
  for (const std::size_t rows : {5u, 255u, 256u, 1000u}) {
    const bool bias = rows != 1000;
    const auto l = random_layer<float>(rng, rows, {20, 7}, 19, Activation::relu, bias);
    const auto weight = normal_numbers<float>(rng, rows * 19);
    EXPECT_EQ(l.forward(1), l.forward(2));
    const auto one = l.backward(weight, 1), two = l.backward(weight, 2),
               again = l.backward(weight, 2);
    EXPECT_TRUE(same_numbers(one.weight, two.weight, 1e-4));
    EXPECT_TRUE(same_numbers(one.bias, two.bias, 1e-4));
    EXPECT_EQ(one.x, two.x);
    EXPECT_EQ(two.weight, again.weight);
    EXPECT_EQ(two.bias, again.bias);
  }
}

TEST(Linear, NoRows) {
  Rng rng(5);
  const auto l = random_layer<double>(rng, 0, {3}, 4, Activation::relu, true);
  EXPECT_TRUE(l.forward().empty());
  const auto g = l.backward({});
  EXPECT_EQ(g.weight, std::vector<double>(12));
  EXPECT_EQ(g.bias, std::vector<double>(4));
}

}  // namespace
}  // namespace fgnn::kernels
