// The two recurrent cells, GRU and LSTM: rows of gates a + b and of a state in, a state out.
#include <gtest/gtest.h>

#include "fgnn/kernels/gru.h"
#include "fgnn/kernels/lstm.h"
#include "tests/reference/differences.h"
#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::dot;
using testing::expect_gradient;
using testing::normal_numbers;
using testing::same_numbers;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// What a kind of cell has, its kernels, and its formula for number j of a row.
struct Gru {
  static constexpr std::size_t kGates = 3, kStates = 1;

  template <class T>
  static void forward(const T* a, const T* b, const T* state, std::size_t rows, std::size_t width,
                      T* out, int threads) {
    gru_forward(a, b, state, rows, width, out, threads);
  }
  static void backward(const double* a, const double* b, const double* state, std::size_t rows,
                       std::size_t width, const double* slopes, double* da, double* db,
                       double* d_state, int threads) {
    gru_backward(a, b, state, rows, width, slopes, da, db, d_state, threads);
  }
  static void formula(const double* a, const double* b, const double* state, std::size_t width,
                      std::size_t j, double* out) {
    const double r = sigmoid(a[j] + b[j]), z = sigmoid(a[width + j] + b[width + j]);
    const double n = std::tanh(a[2 * width + j] + r * b[2 * width + j]);
    out[j] = (1 - z) * n + z * state[j];
  }
};

struct Lstm {
  static constexpr std::size_t kGates = 4, kStates = 2;

  template <class T>
  static void forward(const T* a, const T* b, const T* state, std::size_t rows, std::size_t width,
                      T* out, int threads) {
    lstm_forward(a, b, state, rows, width, out, threads);
  }
  static void backward(const double* a, const double* b, const double* state, std::size_t rows,
                       std::size_t width, const double* slopes, double* da, double* db,
                       double* d_state, int threads) {
    lstm_backward(a, b, state, rows, width, slopes, da, d_state, threads);
    std::copy_n(da, kGates * rows * width, db);  // it depends on a + b
  }
  static void formula(const double* a, const double* b, const double* state, std::size_t width,
                      std::size_t j, double* out) {
    const auto gate = [&](std::size_t k) { return a[k * width + j] + b[k * width + j]; };
    const double cell = sigmoid(gate(1)) * state[width + j] + sigmoid(gate(0)) * std::tanh(gate(2));
    out[j] = sigmoid(gate(3)) * std::tanh(cell);
    out[width + j] = cell;
  }
};

template <class Kind>
struct Rows {
  std::size_t rows, width;
  std::vector<double> a, b, state;

  Rows(Rng& rng, std::size_t n, std::size_t w)
      : rows(n),
        width(w),
        a(normal_numbers<double>(rng, Kind::kGates * n * w)),
        b(normal_numbers<double>(rng, Kind::kGates * n * w)),
        state(normal_numbers<double>(rng, Kind::kStates * n * w)) {}

  std::vector<double> forward(int threads = 1) const {
    std::vector<double> out(state.size(), 777);
    Kind::forward(a.data(), b.data(), state.data(), rows, width, out.data(), threads);
    return out;
  }
  Rows backward(const std::vector<double>& slopes, int threads = 1) const {
    Rows g = *this;
    Kind::backward(a.data(), b.data(), state.data(), rows, width, slopes.data(), g.a.data(),
                   g.b.data(), g.state.data(), threads);
    return g;
  }
};

template <class Kind>
class Recurrent : public ::testing::Test {};
using Kinds = ::testing::Types<Gru, Lstm>;
TYPED_TEST_SUITE(Recurrent, Kinds);

TYPED_TEST(Recurrent, ForwardEqualsTheFormula) {
  Rng rng(1);
  const Rows<TypeParam> c(rng, 5, 3);
  const std::size_t gates = TypeParam::kGates * 3, states = TypeParam::kStates * 3;
  std::vector<double> want(5 * states);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      TypeParam::formula(&c.a[i * gates], &c.b[i * gates], &c.state[i * states], 3, j,
                         &want[i * states]);
    }
  }
  EXPECT_TRUE(same_numbers(c.forward(), want, 1e-14));
  const std::vector<float> a(c.a.begin(), c.a.end()), b(c.b.begin(), c.b.end()),
      state(c.state.begin(), c.state.end());
  std::vector<float> out(want.size());
  TypeParam::forward(a.data(), b.data(), state.data(), 5, 3, out.data(), 1);
  EXPECT_TRUE(same_numbers(out, want, 1e-6));
}

TYPED_TEST(Recurrent, BackwardEqualsDifferences) {
  Rng rng(2);
  Rows<TypeParam> c(rng, 4, 5);
  const auto weight = normal_numbers<double>(rng, c.state.size());
  const auto g = c.backward(weight);
  const auto value = [&] { return dot(c.forward(), weight); };
  expect_gradient(c.a, g.a, value, "a", rng, 80);
  expect_gradient(c.b, g.b, value, "b", rng, 80);
  expect_gradient(c.state, g.state, value, "state", rng, 60);
}

TYPED_TEST(Recurrent, ThreadsAgreeExactly) {
  Rng rng(3);
  const Rows<TypeParam> c(rng, 101, 7);
  const auto weight = normal_numbers<double>(rng, c.state.size());
  EXPECT_EQ(c.forward(1), c.forward(2));
  const auto one = c.backward(weight, 1), two = c.backward(weight, 2);
  EXPECT_EQ(one.a, two.a);
  EXPECT_EQ(one.b, two.b);
  EXPECT_EQ(one.state, two.state);
}

}  // namespace
}  // namespace fgnn::kernels
