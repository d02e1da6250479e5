// SIMD loops over rows of numbers, one set per instruction set. Included once per target, after
// hwy/highway.h.
#if defined(FGNN_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_KERNELS_ROWS_INL_H_
#undef FGNN_KERNELS_ROWS_INL_H_
#else
#define FGNN_KERNELS_ROWS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "fgnn/kernels/activation.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls whole(i) on multiples of the vector length and one(i) on what is left.
template <class T, class Whole, class One>
HWY_INLINE void over(std::size_t n, Whole whole, One one) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) whole(i);
  for (; i < n; ++i) one(i);
}

// out += in
template <class T>
HWY_INLINE void add_row(const T* in, T* out, std::size_t n) {
  const hn::ScalableTag<T> d;
  over<T>(
      n,
      [&](std::size_t i) {
        hn::StoreU(hn::Add(hn::LoadU(d, in + i), hn::LoadU(d, out + i)), d, out + i);
      },
      [&](std::size_t i) { out[i] += in[i]; });
}

// out = a + b
template <class T>
HWY_INLINE void add_rows(const T* a, const T* b, T* out, std::size_t n) {
  const hn::ScalableTag<T> d;
  over<T>(
      n,
      [&](std::size_t i) {
        hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
      },
      [&](std::size_t i) { out[i] = a[i] + b[i]; });
}

// out = max(a + b, 0); a NaN stays one
template <class T>
HWY_INLINE void add_relu(const T* a, const T* b, T* out, std::size_t n) {
  const hn::ScalableTag<T> d;
  over<T>(
      n,
      [&](std::size_t i) {
        const auto sum = hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
        hn::StoreU(hn::IfThenZeroElse(hn::Lt(sum, hn::Zero(d)), sum), d, out + i);
      },
      [&](std::size_t i) { out[i] = a[i] + b[i] < 0 ? T(0) : a[i] + b[i]; });
}

// x = f(x)
template <class T>
HWY_INLINE void activate(Activation f, T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  if (f == Activation::relu) {
    over<T>(
        n,
        [&](std::size_t i) {
          const auto v = hn::LoadU(d, x + i);
          hn::StoreU(hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v), d, x + i);
        },
        [&](std::size_t i) { x[i] = x[i] < 0 ? T(0) : x[i]; });
  } else {
    apply(f, x, n);
  }
}

// gradient *= f' at value y
template <class T>
HWY_INLINE void times_slope(Activation f, const T* y, T* gradient, std::size_t n) {
  const hn::ScalableTag<T> d;
  if (f == Activation::relu) {
    over<T>(
        n,
        [&](std::size_t i) {
          const auto on = hn::Gt(hn::LoadU(d, y + i), hn::Zero(d));
          hn::StoreU(hn::IfThenElseZero(on, hn::LoadU(d, gradient + i)), d, gradient + i);
        },
        [&](std::size_t i) { gradient[i] = y[i] > 0 ? gradient[i] : T(0); });
  } else {
    multiply_slope(f, y, gradient, n);
  }
}

template <class T>
HWY_INLINE void sum_rows(const T* const* rows, std::size_t count, std::size_t n, T* out) {
  const hn::ScalableTag<T> d;
  over<T>(
      n,
      [&](std::size_t i) {
        auto sum = hn::Zero(d);
        for (std::size_t s = 0; s < count; ++s) sum = hn::Add(sum, hn::LoadU(d, rows[s] + i));
        hn::StoreU(sum, d, out + i);
      },
      [&](std::size_t i) {
        out[i] = 0;
        for (std::size_t s = 0; s < count; ++s) out[i] += rows[s][i];
      });
}

// One value per lane as a byte; lanes hold small whole numbers.
template <class T>
HWY_INLINE void store_bytes(hn::Vec<hn::ScalableTag<T>> v, std::uint8_t* out) {
  const hn::ScalableTag<T> d;
  if constexpr (sizeof(T) == 4) {
    const hn::RebindToSigned<decltype(d)> whole;
    const hn::Rebind<std::uint8_t, decltype(d)> bytes;
    hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(whole, v)), bytes, out);
  } else {
    HWY_ALIGN T values[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(v, d, values);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) out[i] = static_cast<std::uint8_t>(values[i]);
  }
}

// The largest of each column and which row has it first; 0 without rows. At most 256 rows if
// `where` is asked for. A NaN anywhere shows.
template <class T>
HWY_INLINE void max_rows(const T* const* rows, std::size_t count, std::size_t n, T* out,
                         std::uint8_t* where) {
  const hn::ScalableTag<T> d;
  over<T>(
      n,
      [&](std::size_t i) {
        auto best = count > 0 ? hn::LoadU(d, rows[0] + i) : hn::Zero(d);
        auto slot = hn::Zero(d);
        for (std::size_t s = 1; s < count; ++s) {
          const auto y = hn::LoadU(d, rows[s] + i);
          const auto take = hn::Or(hn::Gt(y, best), hn::IsNaN(y));
          best = hn::IfThenElse(take, y, best);
          slot = hn::IfThenElse(take, hn::Set(d, static_cast<T>(s)), slot);
        }
        hn::StoreU(best, d, out + i);
        if (where != nullptr) store_bytes<T>(slot, where + i);
      },
      [&](std::size_t i) {
        std::size_t slot = 0;
        for (std::size_t s = 1; s < count; ++s) {
          if (rows[s][i] > rows[slot][i] || rows[s][i] != rows[s][i]) slot = s;
        }
        out[i] = count > 0 ? rows[slot][i] : T(0);
        if (where != nullptr) where[i] = static_cast<std::uint8_t>(slot);
      });
}

// out = (out or 0) + gradient where the slot is this one.
template <class T>
HWY_INLINE void add_where(const std::uint8_t* where, std::uint32_t slot, const T* gradient, T* out,
                          std::size_t n, bool keep) {
  const hn::ScalableTag<T> d;
  const auto one = [&](std::size_t i) {
    out[i] = (keep ? out[i] : T(0)) + (where[i] == slot ? gradient[i] : T(0));
  };
  if constexpr (sizeof(T) == 4) {
    const hn::RebindToSigned<decltype(d)> whole;
    const hn::Rebind<std::uint8_t, decltype(d)> bytes;
    const auto mine = hn::Set(whole, static_cast<std::int32_t>(slot));
    over<T>(
        n,
        [&](std::size_t i) {
          const auto at = hn::PromoteTo(whole, hn::LoadU(bytes, where + i));
          const auto here = hn::RebindMask(d, hn::Eq(at, mine));
          auto sum = hn::IfThenElseZero(here, hn::LoadU(d, gradient + i));
          if (keep) sum = hn::Add(sum, hn::LoadU(d, out + i));
          hn::StoreU(sum, d, out + i);
        },
        one);
  } else {
    for (std::size_t i = 0; i < n; ++i) one(i);
  }
}

// Adds x, where the gate (if any) is above 0, to both rows; either may be null.
template <class T>
HWY_INLINE void add_gated(const T* x, const T* gate, T* first, T* second, std::size_t n) {
  const hn::ScalableTag<T> d;
  over<T>(
      n,
      [&](std::size_t i) {
        auto v = hn::LoadU(d, x + i);
        if (gate != nullptr) v = hn::IfThenElseZero(hn::Gt(hn::LoadU(d, gate + i), hn::Zero(d)), v);
        if (first != nullptr) hn::StoreU(hn::Add(hn::LoadU(d, first + i), v), d, first + i);
        if (second != nullptr) hn::StoreU(hn::Add(hn::LoadU(d, second + i), v), d, second + i);
      },
      [&](std::size_t i) {
        const T v = gate == nullptr || gate[i] > 0 ? x[i] : T(0);
        if (first != nullptr) first[i] += v;
        if (second != nullptr) second[i] += v;
      });
}

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
