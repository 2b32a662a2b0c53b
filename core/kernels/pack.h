#pragma once

// Four doubles at once. Included only by the files that are compiled for one instruction set each,
// inside that set's namespace (inline.h), without strict aliasing.

#include <immintrin.h>

#include "core/kernels/inline.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

using Pack = double __attribute__((vector_size(32)));
using PackMask = long long __attribute__((vector_size(32)));
using UnalignedPack = double __attribute__((vector_size(32), aligned(8)));

CIVITA_INLINE Pack Load(const double* p) { return *reinterpret_cast<const Pack*>(p); }
CIVITA_INLINE Pack LoadUnaligned(const double* p) {
  return *reinterpret_cast<const UnalignedPack*>(p);
}
CIVITA_INLINE void Store(double* p, Pack x) { *reinterpret_cast<Pack*>(p) = x; }
CIVITA_INLINE void StoreUnaligned(double* p, Pack x) { *reinterpret_cast<UnalignedPack*>(p) = x; }
CIVITA_INLINE Pack Broadcast(double x) { return Pack{x, x, x, x}; }

/// Lanes of x where the mask is set, else 0.
CIVITA_INLINE Pack And(Pack x, PackMask mask) {
  return reinterpret_cast<Pack>(reinterpret_cast<PackMask>(x) & mask);
}
CIVITA_INLINE Pack Select(PackMask mask, Pack yes, Pack no) {
  return reinterpret_cast<Pack>((reinterpret_cast<PackMask>(yes) & mask) |
                                (reinterpret_cast<PackMask>(no) & ~mask));
}

/// Lanes whose bit is set.
CIVITA_INLINE PackMask MaskOf(unsigned bits) {
  const PackMask bit = {1, 2, 4, 8};
  const PackMask all = {static_cast<long long>(bits), static_cast<long long>(bits),
                        static_cast<long long>(bits), static_cast<long long>(bits)};
  return (all & bit) == bit;
}

/// The first `count` lanes.
CIVITA_INLINE void StoreSome(double* p, Pack x, int count) {
  if (count == 4) {
    StoreUnaligned(p, x);
  } else {
    for (int l = 0; l < count; ++l) p[l] = x[l];
  }
}

/// The 4×4 matrix with these rows becomes its transpose. By intrinsics: GCC 12 makes poor code of
/// generic shuffles.
CIVITA_INLINE void Transpose(Pack& a, Pack& b, Pack& c, Pack& d) {
  const __m256d t0 = _mm256_unpacklo_pd(a, b), t1 = _mm256_unpackhi_pd(a, b);
  const __m256d t2 = _mm256_unpacklo_pd(c, d), t3 = _mm256_unpackhi_pd(c, d);
  a = _mm256_permute2f128_pd(t0, t2, 0x20);
  b = _mm256_permute2f128_pd(t1, t3, 0x20);
  c = _mm256_permute2f128_pd(t0, t2, 0x31);
  d = _mm256_permute2f128_pd(t1, t3, 0x31);
}

/// [x y z ·] → [y z x ·], for cross products of columns.
CIVITA_INLINE Pack Rotate3(Pack a) { return _mm256_permute4x64_pd(a, _MM_SHUFFLE(3, 0, 2, 1)); }

/// a × b of columns [x y z ·].
CIVITA_INLINE Pack Cross3(Pack a, Pack b) { return Rotate3(a * Rotate3(b) - Rotate3(a) * b); }

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
