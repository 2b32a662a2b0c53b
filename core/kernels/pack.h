#pragma once

// As many doubles at once as the instruction set has room for. Included only by the files that are
// compiled for one instruction set each, inside that set's namespace (civita/spatial.h), without
// strict aliasing. Shuffles are intrinsics: GCC 12 makes poor code of generic ones.

#include "civita/spatial.h"

#ifdef CIVITA_PACK_HEADER  // numbers of another kind, such as those that count
#include CIVITA_PACK_HEADER
#else
#include <immintrin.h>

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

#ifdef __AVX512F__
constexpr int kWidth = 8;
#else
constexpr int kWidth = 4;
#endif

using Pack = double __attribute__((vector_size(8 * kWidth)));
/// Half a pack, or all of it; also a vector [x y z ·].
using Quad = double __attribute__((vector_size(32)));
// After the type, clang would ignore `aligned`.
using UnalignedQuad __attribute__((vector_size(32), aligned(8))) = double;
using UnalignedPack __attribute__((vector_size(8 * kWidth), aligned(8))) = double;
static_assert(alignof(UnalignedQuad) == 8 && alignof(UnalignedPack) == 8);

CIVITA_INLINE Pack Load(const double* p) { return *reinterpret_cast<const Pack*>(p); }
CIVITA_INLINE Pack LoadUnaligned(const double* p) {
  return *reinterpret_cast<const UnalignedPack*>(p);
}
CIVITA_INLINE void Store(double* p, Pack x) { *reinterpret_cast<Pack*>(p) = x; }
CIVITA_INLINE void StoreUnaligned(double* p, Pack x) { *reinterpret_cast<UnalignedPack*>(p) = x; }

// Masks are one bit a lane to those who use them. And: lanes of x where the mask is set, else 0.
// AllWithin: |x| ≤ bound in all lanes.
#ifdef __AVX512F__
CIVITA_INLINE Pack Broadcast(double x) { return _mm512_set1_pd(x); }
using LaneMask = __mmask8;
CIVITA_INLINE LaneMask MaskOf(unsigned bits) { return static_cast<LaneMask>(bits); }
CIVITA_INLINE Pack And(Pack x, LaneMask mask) { return _mm512_maskz_mov_pd(mask, x); }
CIVITA_INLINE Quad And(Quad x, LaneMask mask) { return _mm256_maskz_mov_pd(mask, x); }
CIVITA_INLINE Pack Select(LaneMask mask, Pack yes, Pack no) {
  return _mm512_mask_blend_pd(mask, no, yes);
}
CIVITA_INLINE Quad Select(LaneMask mask, Quad yes, Quad no) {
  return _mm256_mask_blend_pd(mask, no, yes);
}
CIVITA_INLINE bool AllWithin(Pack x, double bound) {
  return _mm512_cmp_pd_mask(_mm512_abs_pd(x), Broadcast(bound), _CMP_LE_OQ) == 0xff;
}
#else
CIVITA_INLINE Pack Broadcast(double x) { return _mm256_set1_pd(x); }
using LaneMask = long long __attribute__((vector_size(32)));
CIVITA_INLINE LaneMask MaskOf(unsigned bits) {
  alignas(32) static constexpr long long kMasks[16][4] = {
      {0, 0, 0, 0},   {-1, 0, 0, 0},   {0, -1, 0, 0},   {-1, -1, 0, 0},
      {0, 0, -1, 0},  {-1, 0, -1, 0},  {0, -1, -1, 0},  {-1, -1, -1, 0},
      {0, 0, 0, -1},  {-1, 0, 0, -1},  {0, -1, 0, -1},  {-1, -1, 0, -1},
      {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1}};
  return *reinterpret_cast<const LaneMask*>(kMasks[bits & 15u]);
}
CIVITA_INLINE Pack And(Pack x, LaneMask mask) {
  return reinterpret_cast<Pack>(reinterpret_cast<LaneMask>(x) & mask);
}
CIVITA_INLINE Pack Select(LaneMask mask, Pack yes, Pack no) {
  return _mm256_blendv_pd(no, yes, reinterpret_cast<Pack>(mask));
}
CIVITA_INLINE bool AllWithin(Pack x, double bound) {
  const Pack magnitude = _mm256_andnot_pd(Broadcast(-0.0), x);
  return _mm256_movemask_pd(_mm256_cmp_pd(magnitude, Broadcast(bound), _CMP_LE_OQ)) == 15;
}
#endif

/// The first `count` lanes, or all where there are more.
CIVITA_INLINE void StoreSome(double* p, Quad x, int count) {
  if (count >= 4) {
    *reinterpret_cast<UnalignedQuad*>(p) = x;
    return;
  }
  __m128d rest = _mm256_castpd256_pd128(x);
  if ((count & 2) != 0) {
    _mm_storeu_pd(p, rest);
    rest = _mm256_extractf128_pd(x, 1);
    p += 2;
  }
  if ((count & 1) != 0) _mm_store_sd(p, rest);
}

/// The first or the second half of a pack, or all of a quad.
CIVITA_INLINE Quad QuadOf(Quad x, int) { return x; }

/// The square matrix with these rows becomes its transpose.
CIVITA_INLINE void Transpose(Quad* x) {
  const __m256d a = _mm256_unpacklo_pd(x[0], x[1]), b = _mm256_unpackhi_pd(x[0], x[1]);
  const __m256d c = _mm256_unpacklo_pd(x[2], x[3]), d = _mm256_unpackhi_pd(x[2], x[3]);
  x[0] = _mm256_permute2f128_pd(a, c, 0x20);
  x[1] = _mm256_permute2f128_pd(b, d, 0x20);
  x[2] = _mm256_permute2f128_pd(a, c, 0x31);
  x[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

#ifdef __AVX512F__
// Half a pack takes half the time to store; on AMD's machines a masked one takes all of it.
CIVITA_INLINE void StoreSome(double* p, Pack x, int count) {
  if (count >= kWidth) {
    StoreUnaligned(p, x);
  } else if (count == 4) {
    *reinterpret_cast<UnalignedQuad*>(p) = __builtin_shufflevector(x, x, 0, 1, 2, 3);
  } else if (count == 2) {
    using UnalignedPair __attribute__((vector_size(16), aligned(8))) = double;
    *reinterpret_cast<UnalignedPair*>(p) = __builtin_shufflevector(x, x, 0, 1);
  } else {
    _mm512_mask_storeu_pd(p, static_cast<LaneMask>((1u << count) - 1u), x);
  }
}

CIVITA_INLINE Quad QuadOf(Pack x, int i) {
  return i == 0 ? __builtin_shufflevector(x, x, 0, 1, 2, 3)
                : __builtin_shufflevector(x, x, 4, 5, 6, 7);
}

CIVITA_INLINE void Transpose(Pack* x) {
  Pack pairs[8], quads[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pairs[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  const auto even = [](const Pack& a, const Pack& b) {
    return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
  };
  const auto odd = [](const Pack& a, const Pack& b) {
    return __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
  };
  for (int i = 0; i < 8; i += 4) {
    for (int k = i; k < i + 2; ++k) {
      quads[k] = even(pairs[k], pairs[k + 2]);
      quads[k + 2] = odd(pairs[k], pairs[k + 2]);
    }
  }
  for (int k = 0; k < 4; ++k) {
    x[k] = even(quads[k], quads[k + 4]);
    x[k + 4] = odd(quads[k], quads[k + 4]);
  }
}
#endif

/// [x y z ·] → [y z x ·], for cross products.
CIVITA_INLINE Quad Rotate3(Quad a) { return _mm256_permute4x64_pd(a, _MM_SHUFFLE(3, 0, 2, 1)); }
CIVITA_INLINE Quad Cross3(Quad a, Quad b) { return Rotate3(a * Rotate3(b) - Rotate3(a) * b); }

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
#endif
