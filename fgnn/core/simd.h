// Which instruction sets the SIMD kernels are compiled for: the baseline, AVX2 and AVX-512 (and, on
// other processors, whatever Highway offers). Those in between would add compile time and no speed.
// Include before any Highway header.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
