// All outgoing messages of a table in one pass over it. Included once per target.
//
// The variables are split in two halves; the table is a matrix M (joint states of the first half x
// of the second). With w and u the products of the incoming messages of the halves,
//   y = M u    is a table over the first half alone, with the second summed out,
//   z = w M    the same the other way round,
// and both recurse. The one pass over M costs two multiply-adds per entry; the rest is square-root
// sized.
#if defined(FGNN_BP_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_BP_TABLE_INL_H_
#undef FGNN_BP_TABLE_INL_H_
#else
#define FGNN_BP_TABLE_INL_H_
#endif

#include <algorithm>

#include "fgnn/infer/bp/algebra-inl.h"
#include "fgnn/infer/bp/group.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::bp::HWY_NAMESPACE {

// Consecutive variables begin .. end of a group's scope.
struct Part {
  const State* shape;
  const std::uint32_t* slot;
  std::size_t begin, end;

  std::size_t size() const {
    std::size_t n = 1;
    for (std::size_t j = begin; j < end; ++j) n *= shape[j];
    return n;
  }
  bool one() const { return end - begin == 1; }
};

// Where to cut: the first half gets at most the square root of the joint states.
inline std::size_t half(const Part& part) {
  const std::size_t total = part.size();
  std::size_t rows = part.shape[part.begin], cut = part.begin + 1;
  while (cut + 1 < part.end && rows * part.shape[cut] * rows * part.shape[cut] <= total) {
    rows *= part.shape[cut++];
  }
  return cut;
}

// Scratch numbers (per lane) that messages_of_table needs.
inline std::size_t table_scratch(const Part& part) {
  if (part.one()) return 0;
  const std::size_t cut = half(part);
  const Part first{part.shape, part.slot, part.begin, cut},
      second{part.shape, part.slot, cut, part.end};
  const std::size_t deeper = std::max(table_scratch(first), table_scratch(second));
  return 2 * (first.size() + second.size()) + 16 + deeper;
}

// ---- one factor per lane: numbers of lane l at [entry * L + l] ----

// The product of the incoming messages of a part, by joint state; no copy for one variable.
template <class A, class D, class T = hn::TFromD<D>>
const T* outer_lanes(D d, const Part& part, const T* in, T*& scratch) {
  const std::size_t lanes = hn::Lanes(d);
  if (part.one()) return in + part.slot[part.begin] * lanes;
  T* out = scratch;
  scratch += part.size() * lanes;
  hn::Store(hn::Set(d, A::template one<T>()), d, out);
  std::size_t size = 1;
  for (std::size_t j = part.begin; j < part.end; ++j) {
    const T* mine = in + part.slot[j] * lanes;
    // Backwards, so that what is still to be read is not overwritten.
    for (std::size_t e = size; e-- > 0;) {
      const auto old = hn::Load(d, out + e * lanes);
      for (State x = part.shape[j]; x-- > 0;) {
        hn::Store(A::times(d, old, hn::Load(d, mine + x * lanes)), d,
                  out + (e * part.shape[j] + x) * lanes);
      }
    }
    size *= part.shape[j];
  }
  return out;
}

// A table of lanes in memory; one type for all depths of the recursion.
template <class D>
struct StoredLanes {
  D d;
  const hn::TFromD<D>* table;
  HWY_INLINE hn::Vec<D> operator()(std::size_t e) const {
    return hn::Load(d, table + e * hn::Lanes(d));
  }
};

// kRows rows of the matrix: y[r] = sum_c M[r,c] u[c], z[c] += sum_r w[r] M[r,c]. Several rows at
// once read and write z less often.
template <class A, std::size_t kRows, class D, class Entry, class T = hn::TFromD<D>>
HWY_INLINE void pass_rows_lanes(D d, Entry entry, std::size_t row, std::size_t columns, const T* w,
                                const T* u, T* y, T* z) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  V sum[kRows], weight[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    sum[r] = hn::Set(d, A::template zero<T>());
    weight[r] = hn::Load(d, w + (row + r) * lanes);
  }
  for (std::size_t c = 0; c < columns; ++c) {
    const V uc = hn::Load(d, u + c * lanes);
    V zc = hn::Load(d, z + c * lanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V a = entry((row + r) * columns + c);
      sum[r] = A::plus_times(d, a, uc, sum[r]);
      zc = A::plus_times(d, a, weight[r], zc);
    }
    hn::Store(zc, d, z + c * lanes);
  }
  for (std::size_t r = 0; r < kRows; ++r) hn::Store(sum[r], d, y + (row + r) * lanes);
}

// `entry(e)` gives the vector of entry e. Results go to the slots of `out`.
template <class A, class D, class Entry, class T = hn::TFromD<D>>
void messages_of_table_lanes(D d, const Part& part, Entry entry, const T* in, T* out, T* scratch) {
  const std::size_t lanes = hn::Lanes(d);
  if (part.one()) {
    for (State x = 0; x < part.shape[part.begin]; ++x) {
      hn::Store(entry(x), d, out + (part.slot[part.begin] + x) * lanes);
    }
    return;
  }
  const std::size_t cut = half(part);
  const Part first{part.shape, part.slot, part.begin, cut},
      second{part.shape, part.slot, cut, part.end};
  const std::size_t rows = first.size(), columns = second.size();
  const T* w = outer_lanes<A>(d, first, in, scratch);
  const T* u = outer_lanes<A>(d, second, in, scratch);
  T* y = first.one() ? out + first.slot[first.begin] * lanes : scratch;
  if (!first.one()) scratch += rows * lanes;
  T* z = second.one() ? out + second.slot[second.begin] * lanes : scratch;
  if (!second.one()) scratch += columns * lanes;

  for (std::size_t c = 0; c < columns; ++c) {
    hn::Store(hn::Set(d, A::template zero<T>()), d, z + c * lanes);
  }
  std::size_t row = 0;
  for (; row + 4 <= rows; row += 4) pass_rows_lanes<A, 4>(d, entry, row, columns, w, u, y, z);
  for (; row + 2 <= rows; row += 2) pass_rows_lanes<A, 2>(d, entry, row, columns, w, u, y, z);
  for (; row < rows; ++row) pass_rows_lanes<A, 1>(d, entry, row, columns, w, u, y, z);
  if (!first.one()) {
    messages_of_table_lanes<A>(d, first, StoredLanes<D>{d, y}, in, out, scratch);
  }
  if (!second.one()) {
    messages_of_table_lanes<A>(d, second, StoredLanes<D>{d, z}, in, out, scratch);
  }
}

// ---- one factor, SIMD along the rows of its table ----

template <class A, class T>
const T* outer_single(const Part& part, const T* in, T*& scratch) {
  if (part.one()) return in + part.slot[part.begin];
  const hn::CappedTag<T, 1> d;
  T* out = scratch;
  scratch += part.size();
  out[0] = A::template one<T>();
  std::size_t size = 1;
  for (std::size_t j = part.begin; j < part.end; ++j) {
    const State states = part.shape[j];
    for (std::size_t e = size; e-- > 0;) {
      const auto old = hn::Set(d, out[e]);
      for (State x = states; x-- > 0;) {
        out[e * states + x] = hn::GetLane(A::times(d, old, hn::Set(d, in[part.slot[j] + x])));
      }
    }
    size *= states;
  }
  return out;
}

// y[r] = sum_c M[r,c] u[c] for `kRows` rows at once, z[c] += sum_r w[r] M[r,c].
template <class A, std::size_t kRows, class D, class T = hn::TFromD<D>>
HWY_INLINE void pass_rows(D d, const T* m, std::size_t begin, std::size_t columns, const T* u,
                          const T* w, T* y, T* z) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t c = begin;
  V sum[kRows];
  for (auto& s : sum) s = hn::Set(d, A::template zero<T>());
  for (; c + lanes <= columns; c += lanes) {
    const V uc = hn::LoadU(d, u + c);
    V zc = hn::LoadU(d, z + c);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V a = hn::LoadU(d, m + r * columns + c);
      sum[r] = A::plus_times(d, a, uc, sum[r]);
      zc = A::plus_times(d, a, hn::Set(d, w[r]), zc);
    }
    hn::StoreU(zc, d, z + c);
  }
  const hn::CappedTag<T, 1> one;
  for (std::size_t r = 0; r < kRows; ++r) {
    const auto total = A::plus(one, hn::Set(one, y[r]), hn::Set(one, A::plus_lanes(d, sum[r])));
    y[r] = hn::GetLane(total);
  }
  if (c < columns && lanes > 1) pass_rows<A, kRows>(one, m, c, columns, u, w, y, z);
}

template <class A, class T>
void messages_of_table(const Part& part, const T* table, const T* in, T* out, T* scratch) {
  if (part.one()) {
    std::copy_n(table, part.shape[part.begin], out + part.slot[part.begin]);
    return;
  }
  const std::size_t cut = half(part);
  const Part first{part.shape, part.slot, part.begin, cut},
      second{part.shape, part.slot, cut, part.end};
  const std::size_t rows = first.size(), columns = second.size();
  const T* w = outer_single<A>(first, in, scratch);
  const T* u = outer_single<A>(second, in, scratch);
  T* y = first.one() ? out + first.slot[first.begin] : scratch;
  if (!first.one()) scratch += rows;
  T* z = second.one() ? out + second.slot[second.begin] : scratch;
  if (!second.one()) scratch += columns;
  std::fill_n(y, rows, A::template zero<T>());
  std::fill_n(z, columns, A::template zero<T>());
  const hn::ScalableTag<T> d;
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    pass_rows<A, 4>(d, table + r * columns, 0, columns, u, w + r, y + r, z);
  }
  for (; r < rows; ++r) pass_rows<A, 1>(d, table + r * columns, 0, columns, u, w + r, y + r, z);
  if (!first.one()) messages_of_table<A, T>(first, y, in, out, scratch);
  if (!second.one()) messages_of_table<A, T>(second, z, in, out, scratch);
}

}  // namespace fgnn::bp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
