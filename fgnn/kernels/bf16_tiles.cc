#include "fgnn/kernels/bf16_tiles.h"

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // false alarms in it (gcc's bug 105593)
#endif
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fgnn/kernels/aligned.h"

// Functions are compiled for these instructions one by one: a header's code compiled for them might
// be the copy that the linker keeps for everybody.
#define FGNN_TILES __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")))

namespace fgnn::kernels {
namespace {

constexpr std::size_t kSide = 16, kDeep = 32;  // a block of A: 16 rows of 32 numbers
constexpr std::size_t kBlock = kSide * kDeep;  // numbers of a block
constexpr std::size_t kRowBytes = kSide * 4;   // of every tile

std::size_t blocks(std::size_t count, std::size_t side) { return (count + side - 1) / side; }

bool processor_has_tiles() {
  unsigned a, b, c, d;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  const bool tiles = (d >> 24 & 1) != 0 && (d >> 22 & 1) != 0;
  const bool wide = (b >> 16 & 1) != 0 && (b >> 30 & 1) != 0 && (b >> 31 & 1) != 0;
  if (!tiles || !wide || __get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return false;
  return (a >> 5 & 1) != 0;  // conversions
}

bool system_lets_us() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

__mmask16 first(std::size_t count) {
  return static_cast<__mmask16>(count >= kSide ? 0xffff : (1u << count) - 1);
}

// 16 numbers of one row beside those of the next: (x0, y0, x1, y1, …).
FGNN_TILES inline __m512i interleaved(__m512 x, __m512 y) {
  alignas(kCacheLine) static constexpr std::uint16_t kOrder[kDeep] = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return _mm512_permutexvar_epi16(_mm512_load_si512(kOrder), (__m512i)_mm512_cvtne2ps_pbh(y, x));
}

// Up to 16 columns of up to 32 rows, two rows interleaved in one.
FGNN_TILES inline void interleave_block(const float* x, std::size_t stride, std::size_t rows,
                                        std::size_t columns, __m512i* out) {
  if (rows >= kDeep && columns >= kSide) {
    for (std::size_t q = 0; q < kSide; ++q, x += 2 * stride) {
      out[q] = interleaved(_mm512_loadu_ps(x), _mm512_loadu_ps(x + stride));
    }
    return;
  }
  const __mmask16 mask = first(columns);
  for (std::size_t q = 0; q < kSide; ++q) {
    const std::size_t p = 2 * q;
    const float* row = x + p * stride;
    out[q] = interleaved(_mm512_maskz_loadu_ps(p < rows ? mask : __mmask16{0}, row),
                         _mm512_maskz_loadu_ps(p + 1 < rows ? mask : __mmask16{0}, row + stride));
  }
}

FGNN_TILES inline void transpose_16x16(__m512i* r) {
  __m512i t[kSide];
  for (std::size_t i = 0; i < kSide; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (std::size_t i = 0; i < kSide; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
    r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
    r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
  }
}

// Blocks of B below each other for 16 columns from j: rows of pairs, as tiles want them.
FGNN_TILES void pack_columns(const TileProduct& o, std::size_t j, std::uint16_t* out) {
  __m512i rows[kSide];
  for (std::size_t p = 0; p < o.k; p += kDeep, out += kBlock) {
    interleave_block(o.b + p * o.ldb + j, o.ldb, o.k - p, o.n - j, rows);
    for (std::size_t q = 0; q < kSide; ++q) _mm512_store_si512(out + q * kDeep, rows[q]);
  }
}

// Blocks of A side by side for 16 rows from i.
FGNN_TILES void pack_rows(const TileProduct& o, std::size_t i, std::uint16_t* out) {
  const std::size_t rows = std::min(kSide, o.m - i);
  for (std::size_t p = 0; p < o.k; p += kDeep, out += kBlock) {
    const std::size_t deep = o.k - p;
    if (o.a_column == 1) {
      const __mmask16 left = first(deep), right = first(deep > kSide ? deep - kSide : 0);
      for (std::size_t r = 0; r < kSide; ++r) {
        __m512i both = _mm512_setzero_si512();
        if (r < rows) {
          const float* x = o.a + (i + r) * o.a_row + p;
          both = (__m512i)_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(right, x + kSide),
                                              _mm512_maskz_loadu_ps(left, x));
        }
        _mm512_store_si512(out + r * kDeep, both);
      }
    } else {
      __m512i block[kSide];
      interleave_block(o.a + p * o.a_column + i, o.a_column, deep, rows, block);
      transpose_16x16(block);
      for (std::size_t r = 0; r < kSide; ++r) _mm512_store_si512(out + r * kDeep, block[r]);
    }
  }
}

// A tile of C that ends outside of it goes by way of one that does not.
struct Corner {
  alignas(kCacheLine) float numbers[kSide * kSide];
  std::size_t rows, columns;

  void load(const float* c, std::size_t ldc) {
    std::memset(numbers, 0, sizeof numbers);
    for (std::size_t r = 0; r < rows; ++r) {
      std::memcpy(numbers + r * kSide, c + r * ldc, columns * sizeof(float));
    }
  }
  void store(float* c, std::size_t ldc) const {
    for (std::size_t r = 0; r < rows; ++r) {
      std::memcpy(c + r * ldc, numbers + r * kSide, columns * sizeof(float));
    }
  }
};

// One tile of C: number `Tile`, at row i and column j.
#define FGNN_BEGIN_TILE(Tile, i, j)                                                      \
  do {                                                                                   \
    const float* from_ =                                                                 \
        !fresh ? o.c + (i)*o.ldc + (j) : (o.start == nullptr ? nullptr : o.start + (j)); \
    const std::size_t ld_ = fresh ? 0 : o.ldc;                                           \
    if (from_ == nullptr) {                                                              \
      _tile_zero(Tile);                                                                  \
    } else if ((i) + kSide <= o.m && (j) + kSide <= o.n) {                               \
      _tile_loadd(Tile, from_, ld_ * sizeof(float));                                     \
    } else {                                                                             \
      corner.rows = std::min(kSide, o.m - (i));                                          \
      corner.columns = std::min(kSide, o.n - (j));                                       \
      corner.load(from_, ld_);                                                           \
      _tile_loadd(Tile, corner.numbers, kRowBytes);                                      \
    }                                                                                    \
  } while (false)
#define FGNN_END_TILE(Tile, i, j)                                       \
  do {                                                                  \
    if ((i) + kSide <= o.m && (j) + kSide <= o.n) {                     \
      _tile_stored(Tile, o.c + (i)*o.ldc + (j), o.ldc * sizeof(float)); \
    } else {                                                            \
      _tile_stored(Tile, corner.numbers, kRowBytes);                    \
      corner.rows = std::min(kSide, o.m - (i));                         \
      corner.columns = std::min(kSide, o.n - (j));                      \
      corner.store(o.c + (i)*o.ldc + (j), o.ldc);                       \
    }                                                                   \
  } while (false)

// 32 rows from i by 32 columns from j, or what there is of them.
FGNN_TILES void multiply_square(const TileProduct& o, std::size_t i, std::size_t j,
                                const std::uint16_t* a, const std::uint16_t* b) {
  const std::size_t deep = blocks(o.k, kDeep), next = deep * kBlock;
  const bool fresh = !o.accumulate, low = i + kSide < o.m, right = j + kSide < o.n;
  Corner corner;
  FGNN_BEGIN_TILE(0, i, j);
  if (right) FGNN_BEGIN_TILE(1, i, j + kSide);
  if (low) FGNN_BEGIN_TILE(2, i + kSide, j);
  if (low && right) FGNN_BEGIN_TILE(3, i + kSide, j + kSide);
  for (std::size_t p = 0; p < deep; ++p, a += kBlock, b += kBlock) {
    _tile_loadd(4, a, kRowBytes);
    _tile_loadd(6, b, kRowBytes);
    _tile_dpbf16ps(0, 4, 6);
    if (right) {
      _tile_loadd(7, b + next, kRowBytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if (low) {
      _tile_loadd(5, a + next, kRowBytes);
      _tile_dpbf16ps(2, 5, 6);
      if (right) _tile_dpbf16ps(3, 5, 7);
    }
  }
  FGNN_END_TILE(0, i, j);
  if (right) FGNN_END_TILE(1, i, j + kSide);
  if (low) FGNN_END_TILE(2, i + kSide, j);
  if (low && right) FGNN_END_TILE(3, i + kSide, j + kSide);
}
#undef FGNN_BEGIN_TILE
#undef FGNN_END_TILE

struct alignas(kCacheLine) TileShapes {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

}  // namespace

bool has_tiles() {
  static const bool kThere = processor_has_tiles() && system_lets_us();
  return kThere;
}

std::size_t right_blocks(std::size_t n, std::size_t k) {
  return blocks(n, kSide) * blocks(k, kDeep) * kBlock;
}

FGNN_TILES void make_right_blocks(const TileProduct& o, std::uint16_t* out) {
  const std::size_t deep = blocks(o.k, kDeep) * kBlock;
  for (std::size_t j = 0; j < o.n; j += kSide) pack_columns(o, j, out + j / kSide * deep);
}

FGNN_TILES void multiply_in_tiles(const TileProduct& o, const std::uint16_t* b) {
  static thread_local AlignedVector<std::uint16_t> room;
  const std::size_t deep = blocks(o.k, kDeep) * kBlock;
  if (room.size() < 2 * deep) room.resize(2 * deep);
  std::uint16_t* a = room.data();
  TileShapes shapes;
  for (std::size_t t = 0; t < 8; ++t) {
    shapes.row_bytes[t] = kRowBytes;
    shapes.rows[t] = kSide;
  }
  _tile_loadconfig(&shapes);
  for (std::size_t i = 0; i < o.m; i += 2 * kSide) {
    pack_rows(o, i, a);
    if (i + kSide < o.m) pack_rows(o, i + kSide, a + deep);
    for (std::size_t j = 0; j < o.n; j += 2 * kSide) {
      multiply_square(o, i, j, a, b + j / kSide * deep);
    }
  }
  _tile_release();
}

}  // namespace fgnn::kernels

#else

namespace fgnn::kernels {

bool has_tiles() { return false; }
std::size_t right_blocks(std::size_t, std::size_t) { return 0; }
void make_right_blocks(const TileProduct&, std::uint16_t*) {}
void multiply_in_tiles(const TileProduct&, const std::uint16_t*) {}

}  // namespace fgnn::kernels

#endif
