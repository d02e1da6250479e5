// Products of bfloat16 numbers in the processor's tiles (Intel's AMX): bf16.h decides when.
#pragma once

#include <cstddef>

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

// Where has_tiles().
void multiply_in_tiles(const TileProduct& product);

}  // namespace fgnn::kernels
