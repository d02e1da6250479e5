#include "fgnn/kernels/bf16.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "fgnn/core/scramble.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/bf16_tiles.h"
#include "fgnn/kernels/gemm.h"

namespace fgnn::kernels {
namespace {

thread_local Products here = Products::full;
thread_local const Unchanged* unchanged_here = nullptr;

// The blocks of right-hand sides that this thread has met. Arrays are kept when their numbers are
// out of date: steps are alike, and the next one needs as many of the same sizes.
class RightBlocks {
 public:
  const std::uint16_t* of(const TileProduct& o) {
    if (unchanged_here == nullptr || !unchanged_here->has(o.b)) return make(o, passing_);
    if (id_ != unchanged_here->id()) {
      place_.clear();
      id_ = unchanged_here->id();
    }
    const auto [found, fresh] = place_.try_emplace({o.b, o.n, o.k, o.ldb}, place_.size());
    if (!fresh) return arrays_[found->second].data();
    if (found->second == arrays_.size()) arrays_.emplace_back();
    return make(o, arrays_[found->second]);
  }

 private:
  using Array = AlignedVector<std::uint16_t>;
  struct Right {
    const float* b;
    std::size_t n, k, ldb;
    bool operator==(const Right&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Right& r) const {
      return scramble(reinterpret_cast<std::uintptr_t>(r.b) + r.n * kGolden + r.k);
    }
  };

  static const std::uint16_t* make(const TileProduct& o, Array& array) {
    const std::size_t size = right_blocks(o.n, o.k);
    if (array.size() < size) array.resize(size);
    make_right_blocks(o, array.data());
    return array.data();
  }

  std::uint64_t id_ = 0;
  std::unordered_map<Right, std::size_t, Hash> place_;
  std::vector<Array> arrays_;
  Array passing_;
};

// Without tiles: rounded copies, multiplied as floats.
void multiply_rounded(std::size_t m, std::size_t n, std::size_t k, const float* a,
                      std::size_t a_row, std::size_t a_column, const float* b, std::size_t ldb,
                      float* c, std::size_t ldc, bool accumulate, const float* start) {
  AlignedVector<float> left(m * k), right(k * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      left[i * k + p] = round_to_bf16(a[i * a_row + p * a_column]);
    }
  }
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t j = 0; j < n; ++j) right[p * n + j] = round_to_bf16(b[p * ldb + j]);
  }
  const ProductsHere as_floats(Products::full);
  gemm(m, n, k, left.data(), k, 1, right.data(), n, c, ldc, accumulate, start);
}

}  // namespace

Unchanged::Unchanged(std::vector<std::span<const float>> arrays) : arrays_(std::move(arrays)) {
  static std::atomic<std::uint64_t> last{0};
  id_ = ++last;
}
bool Unchanged::has(const float* x) const {
  return std::ranges::any_of(arrays_, [x](std::span<const float> array) {
    return std::less_equal<>()(array.data(), x) && std::less<>()(x, array.data() + array.size());
  });
}

ProductsHere::ProductsHere(Products products, const Unchanged* unchanged)
    : before_(std::exchange(here, products)),
      unchanged_before_(std::exchange(unchanged_here, unchanged)) {}
ProductsHere::~ProductsHere() {
  here = before_;
  unchanged_here = unchanged_before_;
}
Products products_here() { return here; }

bool has_fast_bf16() { return has_tiles(); }

// Below, blocks would be mostly padding and cost more than they save.
bool suits_bf16(std::size_t m, std::size_t n, std::size_t k) {
  return m >= 8 && n >= 8 && k >= 8 && m * n * k >= 8192;
}

float round_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return x;
  return std::bit_cast<float>((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u);
}

void gemm_bf16(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_row,
               std::size_t a_column, const float* b, std::size_t ldb, float* c, std::size_t ldc,
               bool accumulate, const float* start) {
  if (!has_tiles() || (a_row != 1 && a_column != 1)) {
    return multiply_rounded(m, n, k, a, a_row, a_column, b, ldb, c, ldc, accumulate, start);
  }
  // A long sum in pieces whose blocks stay in the second cache.
  constexpr std::size_t kLongest = 1024;
  thread_local RightBlocks right;
  for (std::size_t p = 0; p < k; p += kLongest) {
    const TileProduct product{.m = m,
                              .n = n,
                              .k = std::min(kLongest, k - p),
                              .a = a + p * a_column,
                              .a_row = a_row,
                              .a_column = a_column,
                              .b = b + p * ldb,
                              .ldb = ldb,
                              .c = c,
                              .ldc = ldc,
                              .accumulate = accumulate || p > 0,
                              .start = start};
    multiply_in_tiles(product, right.of(product));
  }
}

}  // namespace fgnn::kernels
