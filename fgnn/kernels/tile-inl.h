// The block of a product that is kept in registers, for every instruction set: kRows rows by
// kVectors vectors, which leaves registers for the operands.
#if defined(FGNN_KERNELS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_KERNELS_TILE_INL_H_
#undef FGNN_KERNELS_TILE_INL_H_
#else
#define FGNN_KERNELS_TILE_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kVectors = 4;  // 32 registers
#else
constexpr std::size_t kVectors = 2;  // 16 registers
#endif
constexpr std::size_t kRows = 6;

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
