#pragma once

// Intel's intrinsics in portable C++, so that every machine can run the code that
// core/kernels/pack.h writes for instruction sets it lacks. Include it first, then define __AVX__
// or __AVX512F__, then include pack.h.

#include <immintrin.h>  // before the macros that replace its names

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/fma.h>

// Defined by SIMDe 0.8 and later.
#undef _mm512_mask_storeu_pd
#define _mm512_mask_storeu_pd EmulatedMaskStore
inline void EmulatedMaskStore(double* p, unsigned mask, simde__m512d x) {
  for (int l = 0; l < 8; ++l) {
    if ((mask >> l & 1u) != 0) p[l] = x[l];
  }
}
