#pragma once

// Four doubles at once. Included only by the files that are compiled for one instruction set each,
// inside that set's namespace, without strict aliasing: nothing here, and nothing that these files
// include, may be an inline function of a common name, or the linker could hand one set's code to a
// machine without it.

#include <immintrin.h>

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

#define CIVITA_INLINE inline __attribute__((always_inline))

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

/// Sines and cosines to 2 ulp for |x| ≤ kSinCosRange: reduction by π/2 in three parts, then the
/// minimax polynomials of fdlibm (Sun Microsystems' freely distributable libm).
constexpr double kSinCosRange = 1e6;
CIVITA_INLINE void SinCos(Pack x, Pack* sine, Pack* cosine) {
  constexpr double kRound = 6755399441055744.0;  // 1.5·2⁵²: the sum's last bits are the integer
  const Pack t = x * 0.63661977236758134308 + kRound;
  const PackMask quadrant = reinterpret_cast<PackMask>(t);
  const Pack n = t - kRound;
  Pack r = x - n * 1.57079632673412561417e+00;
  r = r - n * 6.07710050630396597660e-11;
  r = r - n * 2.02226624879595063154e-21;
  const Pack z = r * r;
  const Pack s =
      r + r * z *
              (-1.66666666666666324348e-01 +
               z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 +
                         z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 +
                                                                z * 1.58969099521155010221e-10)))));
  const Pack c =
      1.0 - 0.5 * z +
      z * z *
          (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const PackMask odd = -(quadrant & 1);
  const PackMask sine_sign = (quadrant & 2) << 62, cosine_sign = ((quadrant + 1) & 2) << 62;
  *sine = reinterpret_cast<Pack>(reinterpret_cast<PackMask>(Select(odd, c, s)) ^ sine_sign);
  *cosine = reinterpret_cast<Pack>(reinterpret_cast<PackMask>(Select(odd, s, c)) ^ cosine_sign);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
