// How the messages that meet at a node become one.
//
//   max          the largest, entry by entry; its slot is kept for the backward pass
//   sum, mean
//   logsumexp    tau log sum exp(y / tau): the maximum as tau -> 0
//   product      in log-magnitude and sign, so that long products neither overflow nor vanish on
//                the way; the gradient is exact where factors are zero
//
// A node without messages gets 0, and 1 as a product.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "fgnn/core/words.h"

namespace fgnn::kernels {

enum class Aggregate { max, sum, mean, logsumexp, product };

inline const Words<Aggregate>& words_of(Aggregate) {
  static const Words<Aggregate> kWords{"an aggregator",
                                       {{"max", Aggregate::max},
                                        {"sum", Aggregate::sum},
                                        {"mean", Aggregate::mean},
                                        {"logsumexp", Aggregate::logsumexp},
                                        {"product", Aggregate::product}}};
  return kWords;
}

// tau log sum_s exp(at(s) / tau) over `count` entries.
template <class T, class At>
T log_sum_exp(std::size_t count, T tau, At at) {
  if (count == 0) return 0;
  T top = -std::numeric_limits<T>::infinity(), sum = 0;
  for (std::size_t s = 0; s < count; ++s) top = at(s) > top ? at(s) : top;
  if (!(std::abs(top) < std::numeric_limits<T>::infinity())) return top;
  for (std::size_t s = 0; s < count; ++s) sum += std::exp((at(s) - top) / tau);
  return top + tau * std::log(sum);
}

// A product kept apart: zeros counted, signs, and the logarithm of the rest.
template <class T>
struct SignedLog {
  T log = 0;
  std::size_t zeros = 0;
  bool negative = false;

  void multiply(T x) {
    if (x == 0) {
      ++zeros;
    } else {
      log += std::log(std::abs(x));
      negative ^= x < 0;
    }
  }
  T value() const { return zeros > 0 ? T(0) : signed_exp(log, negative); }
  // The product of all but x, one of those multiplied.
  T without(T x) const {
    if (x == 0) return zeros > 1 ? T(0) : signed_exp(log, negative);
    return zeros > 0 ? T(0) : signed_exp(log - std::log(std::abs(x)), negative != (x < 0));
  }

 private:
  static T signed_exp(T log, bool negative) { return negative ? -std::exp(log) : std::exp(log); }
};

template <class T, class At>
SignedLog<T> product(std::size_t count, At at) {
  SignedLog<T> result;
  for (std::size_t s = 0; s < count; ++s) result.multiply(at(s));
  return result;
}

}  // namespace fgnn::kernels
