// Kernels of structured potentials. Included once per target.
//
// All use leave-one-out products from both sides, never a division: forward[j] holds what the
// variables before j contribute, backward[j] what those after it do.
#if defined(FGNN_BP_STRUCTURED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_BP_STRUCTURED_INL_H_
#undef FGNN_BP_STRUCTURED_INL_H_
#else
#define FGNN_BP_STRUCTURED_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "fgnn/infer/bp/algebra-inl.h"
#include "fgnn/infer/bp/group.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

// Sums below so many times their rounding are left to a twin in the log domain.
template <class T>
constexpr T kTrusted = std::is_same_v<T, float> ? T(100) : T(1e5);

template <class T>
std::size_t count_scratch(const Group<T>& g) {
  return (2 * g.arity() + 4) * g.counts;
}

// Adds up, per variable, the incoming numbers of chosen and of other states.
// forward[j](k): variables before j have count k.   backward[j](k): value to go from j on, given
// count k.   m_j(x) = sum_k forward[j](k) backward[j+1](k + chosen(x)).  Cost: arity x counts.
template <class A, class D, class Value, class T = hn::TFromD<D>>
void messages_of_count(D d, const Group<T>& g, Value value, const T* in, T* out, T* scratch) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), n = g.arity(), counts = g.counts, top = counts - 1;
  const auto zero = hn::Set(d, A::template zero<T>());
  const auto step = [&](std::size_t k) { return g.modulo ? (k + 1) % 2 : std::min(k + 1, top); };
  T* forward = scratch;
  T* backward = scratch + (n + 1) * counts * lanes;
  const auto sums = [&](std::size_t j, V& plain, V& chosen) {
    plain = chosen = zero;
    for (std::uint32_t s = g.slot[j]; s < g.slot[j + 1]; ++s) {
      V& sum =
          g.chosen.empty() ? (s == g.slot[j] ? plain : chosen) : (g.chosen[s] ? chosen : plain);
      sum = A::plus(d, sum, hn::Load(d, in + s * lanes));
    }
  };
  for (std::size_t k = 0; k < counts; ++k) {
    hn::Store(k == 0 ? hn::Set(d, A::template one<T>()) : zero, d, forward + k * lanes);
    hn::Store(value(k), d, backward + (n * counts + k) * lanes);
  }
  for (std::size_t j = 0; j + 1 < n; ++j) {
    V plain, chosen;
    sums(j, plain, chosen);
    T* from = forward + j * counts * lanes;
    T* to = from + counts * lanes;
    for (std::size_t k = 0; k < counts; ++k) {
      hn::Store(A::times(d, hn::Load(d, from + k * lanes), plain), d, to + k * lanes);
    }
    for (std::size_t k = 0; k < std::min(counts, j + 1); ++k) {
      T* at = to + step(k) * lanes;
      hn::Store(A::plus_times(d, hn::Load(d, from + k * lanes), chosen, hn::Load(d, at)), d, at);
    }
  }
  for (std::size_t j = n; j-- > 1;) {
    V plain, chosen;
    sums(j, plain, chosen);
    const T* from = backward + (j + 1) * counts * lanes;
    T* to = backward + j * counts * lanes;
    for (std::size_t k = 0; k < counts; ++k) {
      const V stay = A::times(d, hn::Load(d, from + k * lanes), plain);
      hn::Store(A::plus_times(d, hn::Load(d, from + step(k) * lanes), chosen, stay), d,
                to + k * lanes);
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    const T* before = forward + j * counts * lanes;
    const T* after = backward + (j + 1) * counts * lanes;
    V plain = zero, chosen = zero;
    for (std::size_t k = 0; k < std::min(counts, j + 1); ++k) {
      const V weight = hn::Load(d, before + k * lanes);
      plain = A::plus_times(d, weight, hn::Load(d, after + k * lanes), plain);
      chosen = A::plus_times(d, weight, hn::Load(d, after + step(k) * lanes), chosen);
    }
    for (std::uint32_t s = g.slot[j]; s < g.slot[j + 1]; ++s) {
      const bool is_chosen = g.chosen.empty() ? s != g.slot[j] : g.chosen[s] != 0;
      hn::Store(is_chosen ? chosen : plain, d, out + s * lanes);
    }
  }
}

// The tanh rule, kept as a pair (even, odd) so that nothing cancels: the pair of two sets of
// variables is (e e' + o o', e o' + o e'). In the max algebra this is min-sum.
template <class A, class D, class T = hn::TFromD<D>>
void messages_of_parity(D d, const Group<T>& g, const T* in, T* out, T* scratch) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), n = g.arity();
  const auto join = [&](V& even, V& odd, V e, V o) {
    const V joined = A::plus_times(d, even, e, A::times(d, odd, o));
    odd = A::plus_times(d, even, o, A::times(d, odd, e));
    even = joined;
  };
  V even = hn::Set(d, A::template one<T>()), odd = hn::Set(d, A::template zero<T>());
  for (std::size_t j = 0; j < n; ++j) {
    hn::Store(even, d, scratch + 2 * j * lanes);
    hn::Store(odd, d, scratch + (2 * j + 1) * lanes);
    join(even, odd, hn::Load(d, in + 2 * j * lanes), hn::Load(d, in + (2 * j + 1) * lanes));
  }
  even = hn::Set(d, A::template one<T>());
  odd = hn::Set(d, A::template zero<T>());
  for (std::size_t j = n; j-- > 0;) {
    V e = hn::Load(d, scratch + 2 * j * lanes), o = hn::Load(d, scratch + (2 * j + 1) * lanes);
    join(e, o, even, odd);
    hn::Store(g.odd ? o : e, d, out + 2 * j * lanes);
    hn::Store(g.odd ? e : o, d, out + (2 * j + 1) * lanes);
    join(even, odd, hn::Load(d, in + 2 * j * lanes), hn::Load(d, in + (2 * j + 1) * lanes));
  }
}

// Elementwise over the terms of a rank-1 decomposition: calls body(i, tag) on vectors, then on the
// rest one by one.
template <class T, class Body>
HWY_INLINE void over_terms(std::size_t terms, Body body) {
  const hn::ScalableTag<T> d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= terms; i += hn::Lanes(d)) body(i, d);
  for (; i < terms; ++i) body(i, hn::CappedTag<T, 1>());
}

// m_i = W_i [ prod_{j != i} W_j^T n_j ], the paper's low-rank message, and its max-of-rank-1 twin
// (sums for products, maxima for sums). Cost: arity x states x terms. Products are rescaled by
// powers of two on the way; returns the log of the scale that the outgoing messages lack.
template <class A, class T>
double messages_of_terms(const Group<T>& g, const T* weights, const T* in, T* out, T* scratch) {
  const std::size_t n = g.arity(), terms = g.terms;
  constexpr bool kLinear = std::is_same_v<A, SumAlgebra>;
  T* projected = scratch;              // n x terms: W_j^T n_j
  T* forward = projected + n * terms;  // n x terms: products before j
  T* backward = forward + n * terms;   // terms: product after j
  double log_scale = 0;
  // Keeps a running product near 1; a common factor of all terms cancels in the message.
  const auto rescale = [&](T* product) {
    if (!kLinear) return 0.0;
    T high = 0;
    for (std::size_t r = 0; r < terms; ++r) high = std::max(high, std::fabs(product[r]));
    if (high == 0 || (high > T(1e-9) && high < T(1e9))) return 0.0;
    int exponent = 0;
    std::frexp(high, &exponent);
    for (std::size_t r = 0; r < terms; ++r) product[r] = std::ldexp(product[r], -exponent);
    return exponent * 0.6931471805599453;
  };
  for (std::size_t j = 0; j < n; ++j) {
    T* mine = projected + j * terms;
    std::fill_n(mine, terms, A::template zero<T>());
    for (std::uint32_t s = g.slot[j]; s < g.slot[j + 1]; ++s) {
      const T* row = weights + s * terms;
      over_terms<T>(terms, [&](std::size_t i, auto d) {
        hn::StoreU(
            A::plus_times(d, hn::LoadU(d, row + i), hn::Set(d, in[s]), hn::LoadU(d, mine + i)), d,
            mine + i);
      });
    }
  }
  std::fill_n(forward, terms, A::template one<T>());
  for (std::size_t j = 0; j + 1 < n; ++j) {
    T* from = forward + j * terms;
    over_terms<T>(terms, [&](std::size_t i, auto d) {
      hn::StoreU(A::times(d, hn::LoadU(d, from + i), hn::LoadU(d, projected + j * terms + i)), d,
                 from + terms + i);
    });
    rescale(from + terms);
  }
  std::fill_n(backward, terms, A::template one<T>());
  for (std::size_t j = n; j-- > 0;) {
    T* left_out = forward + j * terms;
    over_terms<T>(terms, [&](std::size_t i, auto d) {
      hn::StoreU(A::times(d, hn::LoadU(d, left_out + i), hn::LoadU(d, backward + i)), d,
                 left_out + i);
    });
    for (std::uint32_t s = g.slot[j]; s < g.slot[j + 1]; ++s) {
      const T* row = weights + s * terms;
      const hn::CappedTag<T, 1> one;
      T total = A::template zero<T>(), magnitude = 0;
      over_terms<T>(terms, [&](std::size_t i, auto d) {
        const auto term = A::times(d, hn::LoadU(d, row + i), hn::LoadU(d, left_out + i));
        const T part = A::plus_lanes(d, term);
        total = hn::GetLane(A::plus(one, hn::Set(one, total), hn::Set(one, part)));
        if (kLinear) magnitude += hn::GetLane(hn::SumOfLanes(d, hn::Abs(term)));
      });
      // Signed terms that cancel to rounding, or nearly, mean a forbidden state; where that may be
      // wrong, the caller has the table look at it again.
      const T rounding =
          static_cast<T>(2 * n + terms) * std::numeric_limits<T>::epsilon() * magnitude;
      const T least = g.twin.empty() ? rounding : kTrusted<T> * rounding;
      out[s] = kLinear && g.signed_terms && total <= least ? T(0) : total;
    }
    if (j > 0) {
      over_terms<T>(terms, [&](std::size_t i, auto d) {
        hn::StoreU(A::times(d, hn::LoadU(d, backward + i), hn::LoadU(d, projected + j * terms + i)),
                   d, backward + i);
      });
      log_scale += rescale(backward);
    }
  }
  return log_scale;
}

// The kernel that a potential brings along works in double. Sums are returned with the largest at
// 1, and the logarithm of what that lacks.
template <class A, class T>
double own_messages(const Group<T>& g, const MessageKernel& kernel, const T* in, T* out) {
  constexpr Semiring kSemiring = std::is_same_v<A, SumAlgebra>   ? Semiring::sum
                                 : std::is_same_v<A, MaxAlgebra> ? Semiring::max
                                                                 : Semiring::log_sum;
  const std::size_t width = g.width();
  thread_local std::vector<double> numbers;
  numbers.resize(std::max(numbers.size(), 2 * width + kernel.scratch()));
  std::copy_n(in, width, numbers.data());
  kernel.run(kSemiring, numbers.data(), numbers.data() + width, numbers.data() + 2 * width);
  double high = 1;
  if (kSemiring == Semiring::sum) {
    high = *std::max_element(numbers.data() + width, numbers.data() + 2 * width);
    if (!(high > 0)) high = 1;
  }
  for (std::size_t s = 0; s < width; ++s) {
    const double number = numbers[width + s] / high;
    out[s] = g.support && number != kForbidden ? T(0) : static_cast<T>(number);
  }
  return std::log(high);
}

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
