#pragma once

#include "civita/spatial.h"

// After the header that has AllWithin of the packs.

extern "C" double sin(double);
extern "C" double cos(double);

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Sines and cosines of a pack of any width, to 2 ulp for |x| ≤ kSinCosRange: reduction by π/2 in
/// three parts, then the minimax polynomials of fdlibm (Sun Microsystems' freely distributable
/// libm).
constexpr double kSinCosRange = 1e6;
template <typename P>
CIVITA_INLINE void SinCos(const P& x, P* sine, P* cosine) {
  using Mask = decltype(x < *sine);
  constexpr double kRound = 6755399441055744.0;  // 1.5·2⁵²: the sum's last bits are the integer
  const P t = x * 0.63661977236758134308 + kRound;
  const Mask quadrant = reinterpret_cast<Mask>(t);
  const P n = t - kRound;
  P r = x - n * 1.57079632673412561417e+00;
  r = r - n * 6.07710050630396597660e-11;
  r = r - n * 2.02226624879595063154e-21;
  const P z = r * r;
  const P s =
      r + r * z *
              (-1.66666666666666324348e-01 +
               z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 +
                         z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 +
                                                                z * 1.58969099521155010221e-10)))));
  const P c =
      1.0 - 0.5 * z +
      z * z *
          (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const Mask odd = (quadrant & 1) != 0;
  const Mask sine_sign = (quadrant & 2) << 62, cosine_sign = ((quadrant + 1) & 2) << 62;
  *sine = reinterpret_cast<P>(reinterpret_cast<Mask>(odd ? c : s) ^ sine_sign);
  *cosine = reinterpret_cast<P>(reinterpret_cast<Mask>(odd ? s : c) ^ cosine_sign);
}

/// The same for all x: by the C library in lanes beyond that range or not finite.
template <typename P>
CIVITA_INLINE void SinCosOfAny(const P& x, P* sine, P* cosine) {
  SinCos(x, sine, cosine);
  if (__builtin_expect(AllWithin(x, kSinCosRange), 1)) return;
  for (unsigned l = 0; l < sizeof(P) / sizeof(double); ++l) {
    if (x[l] <= kSinCosRange && x[l] >= -kSinCosRange) continue;
    (*sine)[l] = ::sin(x[l]);
    (*cosine)[l] = ::cos(x[l]);
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
