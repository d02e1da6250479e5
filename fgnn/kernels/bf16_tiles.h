// Products of bfloat16 numbers in the processor's tiles (Intel's AMX): bf16.h decides when.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fgnn::kernels {

// Whether the processor has tiles and the system lets this process use them.
bool has_tiles();

// The arguments of gemm (gemm.h). A is contiguous in one of its directions.
struct TileProduct {
  std::size_t m, n, k;
  const float* a;
  std::size_t a_row, a_column;
  const float* b;
  std::size_t ldb;
  float* c;
  std::size_t ldc;
  bool accumulate;
  const float* start;  // where not null and not accumulated: what every row of C begins with
};

// The blocks of B: how many numbers they are, and making them. All of these where has_tiles().
std::size_t right_blocks(std::size_t n, std::size_t k);
void make_right_blocks(const TileProduct& product, std::uint16_t* blocks);
// With blocks that were made of this B.
void multiply_in_tiles(const TileProduct& product, const std::uint16_t* blocks);

}  // namespace fgnn::kernels
