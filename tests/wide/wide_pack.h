#pragma once

// Packs of eight, as core/kernels/pack.h has them for AVX-512, for every machine: slow and
// portable.

#include "civita/spatial.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

constexpr int kWidth = 8;

using Pack = double __attribute__((vector_size(8 * kWidth)));
using Quad = double __attribute__((vector_size(32)));
using UnalignedQuad __attribute__((vector_size(32), aligned(8))) = double;
using UnalignedPack __attribute__((vector_size(8 * kWidth), aligned(8))) = double;

CIVITA_INLINE Pack Broadcast(double x) { return x - Pack{}; }
CIVITA_INLINE Pack Load(const double* p) { return *reinterpret_cast<const Pack*>(p); }
CIVITA_INLINE Pack LoadUnaligned(const double* p) {
  return *reinterpret_cast<const UnalignedPack*>(p);
}
CIVITA_INLINE void Store(double* p, Pack x) { *reinterpret_cast<Pack*>(p) = x; }
CIVITA_INLINE void StoreUnaligned(double* p, Pack x) { *reinterpret_cast<UnalignedPack*>(p) = x; }

template <typename P>
constexpr int kLanesOf = sizeof(P) / sizeof(double);

using LaneMask = unsigned;
CIVITA_INLINE LaneMask MaskOf(unsigned bits) { return bits; }
template <typename P>
CIVITA_INLINE P Select(LaneMask mask, P yes, P no) {
  for (int l = 0; l < kLanesOf<P>; ++l) {
    if ((mask >> l & 1u) != 0) no[l] = yes[l];
  }
  return no;
}
template <typename P>
CIVITA_INLINE P And(P x, LaneMask mask) {
  return Select(mask, x, P{});
}
CIVITA_INLINE bool AllWithin(Pack x, double bound) {
  bool all = true;
  for (int l = 0; l < kWidth; ++l) all = all && x[l] <= bound && x[l] >= -bound;
  return all;
}

template <typename P>
CIVITA_INLINE void StoreSome(double* p, P x, int count) {
  for (int l = 0; l < kLanesOf<P> && l < count; ++l) p[l] = x[l];
}
template <typename P>
CIVITA_INLINE void Transpose(P* x) {
  for (int i = 0; i < kLanesOf<P>; ++i) {
    for (int k = 0; k < i; ++k) {
      const double kept = x[i][k];
      x[i][k] = x[k][i];
      x[k][i] = kept;
    }
  }
}
CIVITA_INLINE Quad QuadOf(Quad x, int) { return x; }
CIVITA_INLINE Quad QuadOf(Pack x, int i) {
  return Quad{x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]};
}

CIVITA_INLINE Quad Rotate3(Quad a) { return Quad{a[1], a[2], a[0], a[3]}; }
CIVITA_INLINE Quad Cross3(Quad a, Quad b) { return Rotate3(a * Rotate3(b) - Rotate3(a) * b); }

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
