// Loops over rows of numbers, compiled for every instruction set and chosen at run time. For code
// that is not itself compiled so: a call costs a few nanoseconds, so rows should have a few dozen
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fgnn::kernels {

// out += x
void add(const float* x, float* out, std::size_t n);
void add(const double* x, double* out, std::size_t n);
// out += x y
void add_product(const float* x, const float* y, float* out, std::size_t n);
void add_product(const double* x, const double* y, double* out, std::size_t n);
// out = x y + z; z may be null
void product_sum(const float* x, const float* y, const float* z, float* out, std::size_t n);
void product_sum(const double* x, const double* y, const double* z, double* out, std::size_t n);
// x = max(x, 0); a NaN stays one
void rectify(float* x, std::size_t n);
void rectify(double* x, std::size_t n);
// x = 0 where y is not above 0
void keep_above_zero(const float* y, float* x, std::size_t n);
void keep_above_zero(const double* y, double* x, std::size_t n);
// Where x is above `best`, or no number, it takes its place, and `slot` that of `where`, which may
// be null.
void take_larger(const float* x, std::uint8_t slot, float* best, std::uint8_t* where,
                 std::size_t n);
void take_larger(const double* x, std::uint8_t slot, double* best, std::uint8_t* where,
                 std::size_t n);
// out = x where `where` is the slot, else 0
void keep_slot(const std::uint8_t* where, std::uint8_t slot, const float* x, float* out,
               std::size_t n);
void keep_slot(const std::uint8_t* where, std::uint8_t slot, const double* x, double* out,
               std::size_t n);
// The sum of squares, in double.
double sum_of_squares(const float* x, std::size_t n);

}  // namespace fgnn::kernels
