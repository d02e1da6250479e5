#include "fgnn/kernels/norm.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/kernels/tools.h"

namespace fgnn::kernels {
namespace {

constexpr Activation kActivations[] = {Activation::identity, Activation::relu, Activation::leaky,
                                       Activation::tanh, Activation::sigmoid};

template <class T>
struct Layer {
  std::size_t rows, columns;
  Activation activation;
  std::vector<T> x, scale, shift, residual;

  Normalisation<T> norm() const {
    return {x.data(),     rows,         columns,
            scale.data(), shift.data(), residual.empty() ? nullptr : residual.data(),
            activation};
  }
  std::vector<T> columns_forward(std::span<const std::size_t> offset, const Moments<T>& moments,
                                 int threads = 1) const {
    std::vector<T> out(rows * columns, T(777));
    normalise_columns(norm(), {offset}, moments, out.data(), threads);
    return out;
  }
  std::vector<T> rows_forward(int threads = 1) const {
    std::vector<T> out(rows * columns, T(777));
    normalise_rows(norm(), row_moments(norm(), threads), out.data(), threads);
    return out;
  }
  // Both steps.
  Layer columns_backward(std::span<const std::size_t> offset, const Moments<T>& moments,
                         const std::vector<double>& counts, const std::vector<T>& gradient,
                         int threads = 1) const {
    Layer g = *this;
    const auto sums =
        normalise_columns_sums(norm(), {offset}, moments, gradient.data(), g.x.data(), threads);
    EXPECT_EQ(sums.size(), counts.size() * 2 * columns);
    for (std::size_t j = 0; j < columns; ++j) {
      g.shift[j] = g.scale[j] = 0;
      for (std::size_t s = 0; s < counts.size(); ++s) {
        g.shift[j] += static_cast<T>(sums[s * 2 * columns + j]);
        g.scale[j] += static_cast<T>(sums[s * 2 * columns + columns + j]);
      }
    }
    normalise_columns_backward(norm(), {offset}, moments, sums, counts, g.x.data(), threads);
    return g;
  }
};

template <class T>
Layer<T> random_layer(Rng& rng, std::size_t rows, std::size_t columns, Activation activation,
                      bool residual) {
  Layer<T> l{rows,
             columns,
             activation,
             normal_numbers<T>(rng, rows * columns, 2),
             normal_numbers<T>(rng, columns),
             normal_numbers<T>(rng, columns),
             {}};
  for (std::size_t i = 0; i < l.x.size(); ++i) l.x[i] += static_cast<T>(i % columns);
  if (residual) l.residual = normal_numbers<T>(rng, rows * columns);
  return l;
}

// The formula, with the moments of the cells for which `together` is true.
template <class T>
std::vector<double> directly(
    const Layer<T>& l,
    const std::function<bool(std::size_t, std::size_t, std::size_t, std::size_t)>& together) {
  std::vector<double> out;
  for (std::size_t r = 0; r < l.rows; ++r) {
    for (std::size_t j = 0; j < l.columns; ++j) {
      double n = 0, mean = 0, variance = 0;
      for (const bool second : {false, true}) {
        for (std::size_t q = 0; q < l.rows; ++q) {
          for (std::size_t i = 0; i < l.columns; ++i) {
            if (!together(r, j, q, i)) continue;
            const double v = l.x[q * l.columns + i];
            if (second) {
              variance += (v - mean) * (v - mean);
            } else {
              n += 1;
              mean += v;
            }
          }
        }
        if (!second) mean /= n;
      }
      const double xhat = (l.x[r * l.columns + j] - mean) / std::sqrt(variance / n + 1e-5);
      out.push_back(apply(l.activation, xhat * l.scale[j] + l.shift[j]) +
                    (l.residual.empty() ? 0 : l.residual[r * l.columns + j]));
    }
  }
  return out;
}

template <class T>
Moments<T> batch_moments(const Layer<T>& l, int threads = 1) {
  return moments_of<T>(column_sums(l.x.data(), l.rows, l.columns, threads),
                       static_cast<double>(l.rows));
}

const std::vector<std::size_t> kGraphs{0, 4, 5, 5, 12};  // one of one row, one of none

std::vector<double> counts_of(const std::vector<std::size_t>& offset) {
  std::vector<double> counts;
  for (std::size_t g = 0; g + 1 < offset.size(); ++g) {
    counts.push_back(static_cast<double>(offset[g + 1] - offset[g]));
  }
  return counts;
}

std::size_t graph_of(std::size_t row) { return row < 4 ? 0 : row < 5 ? 1 : 3; }

TEST(Norm, BatchForwardEqualsTheFormula) {
  Rng rng(1);
  for (const Activation f : kActivations) {
    for (const bool residual : {false, true}) {
      for (const std::size_t columns : {1u, 7u, 16u, 19u}) {
        const auto same = [](auto, auto j, auto, auto i) { return i == j; };
        const std::size_t offset[] = {0, 12};
        const auto d = random_layer<double>(rng, 12, columns, f, residual);
        EXPECT_TRUE(
            same_numbers(d.columns_forward(offset, batch_moments(d)), directly(d, same), 1e-11));
        const auto s = random_layer<float>(rng, 12, columns, f, residual);
        EXPECT_TRUE(
            same_numbers(s.columns_forward(offset, batch_moments(s)), directly(s, same), 1e-3));
      }
    }
  }
}

TEST(Norm, InstanceForwardEqualsTheFormula) {
  Rng rng(2);
  for (const Activation f : kActivations) {
    for (const bool residual : {false, true}) {
      const auto l = random_layer<double>(rng, 12, 7, f, residual);
      const auto want = directly(
          l, [](auto r, auto j, auto q, auto i) { return i == j && graph_of(q) == graph_of(r); });
      const auto got = l.columns_forward(kGraphs, segment_moments(l.norm(), {kGraphs}, 1));
      EXPECT_TRUE(same_numbers(got, want, 1e-10));
    }
  }
}

TEST(Norm, LayerForwardEqualsTheFormula) {
  Rng rng(3);
  for (const Activation f : kActivations) {
    for (const bool residual : {false, true}) {
      for (const std::size_t columns : {1u, 9u, 33u}) {
        const auto l = random_layer<double>(rng, 11, columns, f, residual);
        const auto want = directly(l, [](auto r, auto, auto q, auto) { return q == r; });
        EXPECT_TRUE(same_numbers(l.rows_forward(), want, 1e-11));
      }
    }
  }
}

// The residual's own gradient is the output's: nothing to compute.
void expect_differences(Layer<double>& l, const Layer<double>& g, const std::vector<double>& weight,
                        Rng& rng, const std::function<std::vector<double>()>& forward) {
  const auto value = [&] { return dot(forward(), weight); };
  expect_gradient(l.x, g.x, value, "x", rng);
  expect_gradient(l.scale, g.scale, value, "scale", rng);
  expect_gradient(l.shift, g.shift, value, "shift", rng);
  expect_gradient(l.residual, l.residual.empty() ? l.residual : weight, value, "residual", rng);
}

TEST(Norm, BatchBackwardEqualsDifferences) {
  Rng rng(4);
  const std::size_t offset[] = {0, 12};
  for (const Activation f : kActivations) {
    for (const bool residual : {false, true}) {
      auto l = random_layer<double>(rng, 12, 5, f, residual);
      const auto weight = normal_numbers<double>(rng, 12 * 5);
      const auto g = l.columns_backward(offset, batch_moments(l), {12}, weight);
      expect_differences(l, g, weight, rng,
                         [&] { return l.columns_forward(offset, batch_moments(l)); });
    }
  }
}

TEST(Norm, BackwardWithFixedMomentsEqualsDifferences) {
  Rng rng(5);
  const std::size_t offset[] = {0, 12};
  for (const Activation f : kActivations) {
    auto l = random_layer<double>(rng, 12, 5, f, true);
    const auto fixed = batch_moments(random_layer<double>(rng, 12, 5, f, false));
    const auto weight = normal_numbers<double>(rng, 12 * 5);
    const auto g = l.columns_backward(offset, fixed, {0}, weight);
    expect_differences(l, g, weight, rng, [&] { return l.columns_forward(offset, fixed); });
  }
}

TEST(Norm, InstanceBackwardEqualsDifferences) {
  Rng rng(6);
  for (const Activation f : kActivations) {
    for (const bool residual : {false, true}) {
      auto l = random_layer<double>(rng, 12, 5, f, residual);
      const auto weight = normal_numbers<double>(rng, 12 * 5);
      const auto moments = [&] { return segment_moments(l.norm(), {kGraphs}, 1); };
      const auto g = l.columns_backward(kGraphs, moments(), counts_of(kGraphs), weight);
      expect_differences(l, g, weight, rng, [&] { return l.columns_forward(kGraphs, moments()); });
    }
  }
}

TEST(Norm, LayerBackwardEqualsDifferences) {
  Rng rng(7);
  for (const Activation f : kActivations) {
    for (const bool residual : {false, true}) {
      auto l = random_layer<double>(rng, 6, 9, f, residual);
      const auto weight = normal_numbers<double>(rng, 6 * 9);
      Layer<double> g = l;
      normalise_rows_backward(l.norm(), row_moments(l.norm(), 1), weight.data(), g.x.data(),
                              g.scale.data(), g.shift.data(), 1);
      expect_differences(l, g, weight, rng, [&] { return l.rows_forward(); });
    }
  }
}

TEST(Norm, ColumnSumsAreSumsAndSquares) {
  Rng rng(8);
  const auto x = normal_numbers<float>(rng, 700 * 3);
  std::vector<double> want(6);
  for (std::size_t i = 0; i < x.size(); ++i) {
    want[i % 3] += x[i];
    want[3 + i % 3] += static_cast<double>(x[i]) * x[i];
  }
  for (const int threads : {1, 2}) {
    const auto sums = column_sums(x.data(), 700, 3, threads);
    EXPECT_TRUE(same_numbers(sums, want, 1e-12));
    EXPECT_EQ(sums, column_sums(x.data(), 700, 3, threads));
  }
}

TEST(Norm, PartsOfABatchAddUp) {
  Rng rng(9);
  const auto l = random_layer<double>(rng, 12, 5, Activation::relu, false);
  auto sums = column_sums(l.x.data(), 4, 5, 1);
  const auto rest = column_sums(l.x.data() + 4 * 5, 8, 5, 1);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += rest[i];
  const auto a = moments_of<double>(sums, 12), b = batch_moments(l);
  EXPECT_TRUE(same_numbers(a.mean, b.mean, 1e-14));
  EXPECT_TRUE(same_numbers(a.inverse, b.inverse, 1e-14));
}

TEST(Norm, AConstantColumnStaysFinite) {
  Layer<float> l{8, 1, Activation::identity, std::vector<float>(8, 3), {2}, {1}, {}};
  const std::size_t offset[] = {0, 8};
  EXPECT_TRUE(
      same_numbers(l.columns_forward(offset, batch_moments(l)), std::vector<float>(8, 1), 1e-4));
  const auto g = l.columns_backward(offset, batch_moments(l), {8}, std::vector<float>(8, 1));
  EXPECT_TRUE(same_numbers(g.x, std::vector<float>(8, 0), 1e-3));
}

TEST(Norm, ThreadsAgreeUpToRoundingAndRepeatExactly) {
  Rng rng(10);
  const auto l = random_layer<double>(rng, 1500, 13, Activation::tanh, true);
  const auto weight = normal_numbers<double>(rng, 1500 * 13);
  const std::size_t whole[] = {0, 1500};
  std::vector<std::size_t> graphs{0};
  for (std::size_t r = 15; r <= 1500; r += 15) graphs.push_back(r);
  for (const std::span<const std::size_t> offset :
       {std::span<const std::size_t>(whole), std::span<const std::size_t>(graphs)}) {
    const auto moments = segment_moments(l.norm(), {offset}, 1);
    EXPECT_EQ(moments.mean, segment_moments(l.norm(), {offset}, 2).mean);
    const auto counts = counts_of({offset.begin(), offset.end()});
    const auto one = l.columns_backward(offset, moments, counts, weight, 1),
               two = l.columns_backward(offset, moments, counts, weight, 2),
               again = l.columns_backward(offset, moments, counts, weight, 2);
    EXPECT_EQ(l.columns_forward(offset, moments, 1), l.columns_forward(offset, moments, 2));
    EXPECT_TRUE(same_numbers(one.x, two.x, 1e-12));
    EXPECT_TRUE(same_numbers(one.scale, two.scale, 1e-12));
    EXPECT_EQ(two.x, again.x);
    EXPECT_EQ(two.scale, again.scale);
  }
  EXPECT_EQ(l.rows_forward(1), l.rows_forward(2));
  const auto moments = row_moments(l.norm(), 1);
  Layer<double> g[3] = {l, l, l};
  for (int i = 0; i < 3; ++i) {
    normalise_rows_backward(l.norm(), moments, weight.data(), g[i].x.data(), g[i].scale.data(),
                            g[i].shift.data(), i == 0 ? 1 : 2);
  }
  EXPECT_EQ(g[0].x, g[1].x);
  EXPECT_TRUE(same_numbers(g[0].scale, g[1].scale, 1e-12));
  EXPECT_EQ(g[1].scale, g[2].scale);
  EXPECT_EQ(g[1].shift, g[2].shift);
}

}  // namespace
}  // namespace fgnn::kernels
