// The pointwise functions of a network. Each derivative is written in the function's own value, so
// that a backward pass keeps outputs only.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "fgnn/core/words.h"
#include "fgnn/kernels/pointwise.h"

namespace fgnn::kernels {

enum class Activation { identity, relu, leaky, tanh, sigmoid, exp, log };

inline constexpr double kLeak = 0.01;  // slope of `leaky` below zero

// `log` takes everything below this for this: logarithms of products that vanish stay finite.
template <class T>
inline constexpr T kLeastLogged = sizeof(T) == 4 ? T(1e-30) : T(1e-300);
// Below this its slope is taken for 0: what is left of sums that cancel is noise, and 1/x makes it
// the largest gradient of all.
template <class T>
inline constexpr T kLeastSloped = sizeof(T) == 4 ? T(1e-4) : T(1e-13);

template <class T>
T apply(Activation f, T x) {
  switch (f) {
    case Activation::identity:
      return x;
    case Activation::relu:
      return x < 0 ? T(0) : x;  // a NaN stays one: training must see it
    case Activation::leaky:
      return x > 0 ? x : T(kLeak) * x;
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::exp:
      return std::exp(x);
    case Activation::log:
      return std::log(x < kLeastLogged<T> ? kLeastLogged<T> : x);
  }
  return x;
}

// The derivative where the function's value is y.
template <class T>
T slope(Activation f, T y) {
  switch (f) {
    case Activation::identity:
      return 1;
    case Activation::relu:
      return y > 0 ? T(1) : T(0);
    case Activation::leaky:
      return y > 0 ? T(1) : T(kLeak);
    case Activation::tanh:
      return 1 - y * y;
    case Activation::sigmoid:
      return y * (1 - y);
    case Activation::exp:
      return y;
    case Activation::log:
      return y > std::log(kLeastSloped<T>) ? std::exp(-y) : T(0);
  }
  return 1;
}

// tanh, sigmoid, exp and log with SIMD, to a few units in the last place; NaNs stay.
void apply_smooth(Activation f, float* x, std::size_t n);
void apply_smooth(Activation f, double* x, std::size_t n);

// gradient *= f'(at value y) for tanh, sigmoid and exp, with SIMD.
void multiply_smooth_slope(Activation f, const float* y, float* gradient, std::size_t n);
void multiply_smooth_slope(Activation f, const double* y, double* gradient, std::size_t n);

// In place over n numbers; the switch is outside the loop, so that compilers vectorise it.
template <class T>
void apply(Activation f, T* x, std::size_t n) {
  if (f == Activation::identity) return;
  if (f == Activation::relu) {
    rectify(x, n);
  } else if (f == Activation::leaky) {
    for (std::size_t i = 0; i < n; ++i) x[i] = x[i] > 0 ? x[i] : T(kLeak) * x[i];
  } else {
    apply_smooth(f, x, n);
  }
}

// gradient *= f'(at value y)
template <class T>
void multiply_slope(Activation f, const T* y, T* gradient, std::size_t n) {
  if (f == Activation::identity) return;
  if (f == Activation::relu) {
    keep_above_zero(y, gradient, n);
  } else if (f == Activation::tanh || f == Activation::sigmoid || f == Activation::exp) {
    multiply_smooth_slope(f, y, gradient, n);
  } else {
    for (std::size_t i = 0; i < n; ++i) gradient[i] *= slope(f, y[i]);
  }
}

inline const Words<Activation>& words_of(Activation) {
  static const Words<Activation> kWords{"an activation",
                                        {{"identity", Activation::identity},
                                         {"relu", Activation::relu},
                                         {"leaky", Activation::leaky},
                                         {"tanh", Activation::tanh},
                                         {"sigmoid", Activation::sigmoid},
                                         {"exp", Activation::exp},
                                         {"log", Activation::log}}};
  return kWords;
}

}  // namespace fgnn::kernels
