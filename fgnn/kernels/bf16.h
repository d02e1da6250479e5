// Matrix products of numbers rounded to bfloat16: the range of a float, eight bits of precision,
// rounded to the nearest (ties to even). Products are exact in float and are added up in float.
//
// Processors with tiles of such numbers (Intel's AMX) multiply them some fifteen times as fast as
// floats, so that training is left with everything that is not a product. A network learns about as
// well by them (docs/learning.md has figures); answers are better computed in float.
//
// Both sides are rounded into blocks of 16 x 32 numbers first, 1 kB each: (m + n) k conversions for
// 2 m n k operations, or m k where the right-hand side is known not to change (Unchanged) and a
// thread has its blocks from an earlier product. Elsewhere the rounded numbers are multiplied as
// floats: the same answer up to the order of sums, without the speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fgnn::kernels {

enum class Products { full, bf16 };

// Arrays that nobody writes to while this lives, such as weights during a step.
class Unchanged {
 public:
  explicit Unchanged(std::vector<std::span<const float>> arrays);
  bool has(const float* x) const;
  std::uint64_t id() const { return id_; }  // no two of a process have the same

 private:
  std::vector<std::span<const float>> arrays_;
  std::uint64_t id_;
};

// While one lives, gemm<float> on this thread multiplies as it says. `unchanged` may be null.
class ProductsHere {
 public:
  explicit ProductsHere(Products products, const Unchanged* unchanged = nullptr);
  ~ProductsHere();
  ProductsHere(const ProductsHere&) = delete;
  ProductsHere& operator=(const ProductsHere&) = delete;

 private:
  Products before_;
  const Unchanged* unchanged_before_;
};
Products products_here();

// Whether this machine multiplies them faster than floats.
bool has_fast_bf16();

// Whether a product of this size gains by it: the smallest do not.
bool suits_bf16(std::size_t m, std::size_t n, std::size_t k);

// gemm<float> (gemm.h) on rounded numbers. A is contiguous in one of its directions.
void gemm_bf16(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_row,
               std::size_t a_column, const float* b, std::size_t ldb, float* c, std::size_t ldc,
               bool accumulate, const float* start);

// The nearest number that bfloat16 has.
float round_to_bf16(float x);

}  // namespace fgnn::kernels
