#pragma once

// Intel's intrinsics in portable C++, so that every machine runs what core/kernels/pack.h makes of
// those that it lacks. Before that header, with __AVX__ or __AVX512F__ defined after this one.

#include <immintrin.h>  // before the macros that take its names

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/fma.h>

// Which SIMDe has from 0.8 on.
#undef _mm512_mask_storeu_pd
#define _mm512_mask_storeu_pd EmulatedMaskStore
inline void EmulatedMaskStore(double* p, unsigned mask, simde__m512d x) {
  for (int l = 0; l < 8; ++l) {
    if ((mask >> l & 1u) != 0) p[l] = x[l];
  }
}
