#pragma once

#include "civita/spatial.h"

// Packs of four, each of two pairs in GCC's vector extensions, in place of those of pack.h: for
// machines whose vectors hold two doubles, as those of all x86-64 and arm64 do.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

constexpr int kWidth = 4;

using Pair = double __attribute__((vector_size(16)));
using UnalignedPair __attribute__((vector_size(16), aligned(8))) = double;
using PairMask = long long __attribute__((vector_size(16)));

struct Pack {
  Pair low, high;

  Pack() = default;
  CIVITA_INLINE Pack(Pair a, Pair b) : low(a), high(b) {}
  CIVITA_INLINE Pack(double a, double b, double c, double d) : low{a, b}, high{c, d} {}
  CIVITA_INLINE double operator[](unsigned lane) const {
    return lane < 2 ? low[lane] : high[lane - 2];
  }
  CIVITA_INLINE double& operator[](unsigned lane) { return reinterpret_cast<double*>(this)[lane]; }
};
using Quad = Pack;

struct UnalignedPack {
  UnalignedPair low, high;

  // NOLINTNEXTLINE(google-explicit-constructor): loads are written as assignments.
  CIVITA_INLINE operator Pack() const { return {low, high}; }
  CIVITA_INLINE UnalignedPack& operator=(const Pack& x) {
    low = x.low;
    high = x.high;
    return *this;
  }
};
using UnalignedQuad = UnalignedPack;

CIVITA_INLINE Pack Broadcast(double x) { return {Pair{x, x}, Pair{x, x}}; }

CIVITA_INLINE Pack operator+(const Pack& a, const Pack& b) {
  return {a.low + b.low, a.high + b.high};
}
CIVITA_INLINE Pack operator-(const Pack& a, const Pack& b) {
  return {a.low - b.low, a.high - b.high};
}
CIVITA_INLINE Pack operator*(const Pack& a, const Pack& b) {
  return {a.low * b.low, a.high * b.high};
}
CIVITA_INLINE Pack operator/(const Pack& a, const Pack& b) {
  return {a.low / b.low, a.high / b.high};
}
CIVITA_INLINE Pack operator-(const Pack& a) { return {-a.low, -a.high}; }
CIVITA_INLINE Pack operator+(const Pack& a, double b) { return {a.low + b, a.high + b}; }
CIVITA_INLINE Pack operator-(const Pack& a, double b) { return {a.low - b, a.high - b}; }
CIVITA_INLINE Pack operator*(const Pack& a, double b) { return {a.low * b, a.high * b}; }
CIVITA_INLINE Pack operator-(double a, const Pack& b) { return {a - b.low, a - b.high}; }
CIVITA_INLINE Pack operator+(double a, const Pack& b) { return b + a; }
CIVITA_INLINE Pack operator*(double a, const Pack& b) { return b * a; }
CIVITA_INLINE Pack operator/(double a, const Pack& b) { return {a / b.low, a / b.high}; }
CIVITA_INLINE Pack& operator+=(Pack& a, const Pack& b) { return a = a + b; }
CIVITA_INLINE Pack& operator-=(Pack& a, const Pack& b) { return a = a - b; }
CIVITA_INLINE Pack& operator*=(Pack& a, const Pack& b) { return a = a * b; }

CIVITA_INLINE Pack Load(const double* p) { return *reinterpret_cast<const Pack*>(p); }
CIVITA_INLINE Pack LoadUnaligned(const double* p) {
  return *reinterpret_cast<const UnalignedPack*>(p);
}
CIVITA_INLINE void Store(double* p, const Pack& x) {
  auto* to = reinterpret_cast<Pack*>(p);
  to->low = x.low;
  to->high = x.high;
}
CIVITA_INLINE void StoreUnaligned(double* p, const Pack& x) {
  *reinterpret_cast<UnalignedPack*>(p) = x;
}
CIVITA_INLINE void StoreSome(double* p, const Pack& x, int count) {
  if (count >= 4) {
    StoreUnaligned(p, x);
    return;
  }
  if (count >= 2) *reinterpret_cast<UnalignedPair*>(p) = x.low;
  if (count == 1) p[0] = x.low[0];
  if (count == 3) p[2] = x.high[0];
}

struct LaneMask {
  PairMask low, high;
};
CIVITA_INLINE LaneMask MaskOf(unsigned bits) {
  alignas(16) static constexpr long long kMasks[4][2] = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};
  return {*reinterpret_cast<const PairMask*>(kMasks[bits & 3u]),
          *reinterpret_cast<const PairMask*>(kMasks[bits >> 2 & 3u])};
}
CIVITA_INLINE Pair And(Pair x, PairMask mask) {
  return reinterpret_cast<Pair>(reinterpret_cast<PairMask>(x) & mask);
}
CIVITA_INLINE Pack And(const Pack& x, const LaneMask& mask) {
  return {And(x.low, mask.low), And(x.high, mask.high)};
}
CIVITA_INLINE Pair Select(PairMask mask, Pair yes, Pair no) {
  return reinterpret_cast<Pair>((reinterpret_cast<PairMask>(yes) & mask) |
                                (reinterpret_cast<PairMask>(no) & ~mask));
}
CIVITA_INLINE Pack Select(const LaneMask& mask, const Pack& yes, const Pack& no) {
  return {Select(mask.low, yes.low, no.low), Select(mask.high, yes.high, no.high)};
}
CIVITA_INLINE bool AllWithin(const Pack& x, double bound) {
  const PairMask within =
      (x.low <= bound) & (x.low >= -bound) & (x.high <= bound) & (x.high >= -bound);
  return (within[0] & within[1]) != 0;
}

CIVITA_INLINE Quad QuadOf(const Quad& x, int) { return x; }
CIVITA_INLINE void Transpose(Pack* x) {
  const Pack a = x[0], b = x[1], c = x[2], d = x[3];
  x[0] = {__builtin_shufflevector(a.low, b.low, 0, 2), __builtin_shufflevector(c.low, d.low, 0, 2)};
  x[1] = {__builtin_shufflevector(a.low, b.low, 1, 3), __builtin_shufflevector(c.low, d.low, 1, 3)};
  x[2] = {__builtin_shufflevector(a.high, b.high, 0, 2),
          __builtin_shufflevector(c.high, d.high, 0, 2)};
  x[3] = {__builtin_shufflevector(a.high, b.high, 1, 3),
          __builtin_shufflevector(c.high, d.high, 1, 3)};
}
CIVITA_INLINE Quad Rotate3(const Quad& a) {
  return {__builtin_shufflevector(a.low, a.high, 1, 2),
          __builtin_shufflevector(a.low, a.high, 0, 3)};
}
CIVITA_INLINE Quad Cross3(const Quad& a, const Quad& b) {
  return Rotate3(a * Rotate3(b) - Rotate3(a) * b);
}

template <typename P>
void SinCos(const P& x, P* sine, P* cosine);
CIVITA_INLINE void SinCos(const Pack& x, Pack* sine, Pack* cosine) {
  SinCos<Pair>(x.low, &sine->low, &cosine->low);
  SinCos<Pair>(x.high, &sine->high, &cosine->high);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
