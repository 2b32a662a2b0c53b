#pragma once

// Vectors of four numbers that count their operations, replacing core/kernels/pack.h.

#include <utility>

#include "app/verbs/bench/count/counted_kernels.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

constexpr int kWidth = 4;

struct Pack {
  double x[4];

  double& operator[](int lane) { return x[lane]; }
  double operator[](int lane) const { return x[lane]; }
};
using Quad = Pack;
using UnalignedQuad = Pack;
using UnalignedPack = Pack;

/// Applies f to every lane, one operation each.
template <typename Function>
Pack Operate(const Function& f) {
  kernel_operations += kWidth;
  Pack y;
  for (int l = 0; l < kWidth; ++l) y.x[l] = f(l);
  return y;
}
inline Pack Broadcast(double x) { return {{x, x, x, x}}; }
inline Pack operator+(const Pack& a, const Pack& b) {
  return Operate([&](int l) { return a[l] + b[l]; });
}
inline Pack operator-(const Pack& a, const Pack& b) {
  return Operate([&](int l) { return a[l] - b[l]; });
}
inline Pack operator*(const Pack& a, const Pack& b) {
  return Operate([&](int l) { return a[l] * b[l]; });
}
inline Pack operator/(const Pack& a, const Pack& b) {
  return Operate([&](int l) { return a[l] / b[l]; });
}
inline Pack operator+(const Pack& a, double b) { return a + Broadcast(b); }
inline Pack operator-(const Pack& a, double b) { return a - Broadcast(b); }
inline Pack operator*(const Pack& a, double b) { return a * Broadcast(b); }
inline Pack operator-(double a, const Pack& b) { return Broadcast(a) - b; }
inline Pack operator*(double a, const Pack& b) { return Broadcast(a) * b; }
inline Pack operator/(double a, const Pack& b) { return Broadcast(a) / b; }
inline Pack& operator+=(Pack& a, const Pack& b) { return a = a + b; }
inline Pack& operator-=(Pack& a, const Pack& b) { return a = a - b; }
inline Pack& operator-=(Pack& a, double b) { return a = a - b; }
inline Pack& operator+=(Pack& a, double b) { return a = a + b; }
/// A sign change does not count.
inline Pack operator-(const Pack& a) { return {{-a[0], -a[1], -a[2], -a[3]}}; }

inline Pack Load(const double* p) { return {{p[0], p[1], p[2], p[3]}}; }
inline Pack LoadUnaligned(const double* p) { return Load(p); }
inline void StoreSome(double* p, const Pack& x, int count) {
  for (int l = 0; l < kWidth && l < count; ++l) p[l] = x[l];
}
inline void Store(double* p, const Pack& x) { StoreSome(p, x, kWidth); }
inline void StoreUnaligned(double* p, const Pack& x) { StoreSome(p, x, kWidth); }

using LaneMask = unsigned;
inline LaneMask MaskOf(unsigned bits) { return bits; }
inline Pack Select(LaneMask mask, const Pack& yes, const Pack& no) {
  Pack y;
  for (int l = 0; l < kWidth; ++l) y[l] = (mask >> l & 1u) != 0 ? yes[l] : no[l];
  return y;
}
inline Pack And(const Pack& x, LaneMask mask) { return Select(mask, x, Pack{}); }

inline LaneMask operator<=(const Pack& x, double bound) {
  LaneMask mask = 0;
  for (int l = 0; l < kWidth; ++l) mask |= x[l] <= bound ? 1u << l : 0u;
  return mask;
}
inline bool operator==(const Pack& x, const Pack& y) {
  return x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && x[3] == y[3];
}
inline bool AllWithin(const Pack& x, double bound) {
  return (x <= bound) == 15u && (-x <= bound) == 15u;
}

inline Quad QuadOf(const Quad& x, int) { return x; }
inline void Transpose(Pack* x) {
  for (int i = 0; i < kWidth; ++i) {
    for (int k = 0; k < i; ++k) std::swap(x[i][k], x[k][i]);
  }
}
inline Quad Rotate3(const Quad& a) { return {{a[1], a[2], a[0], a[3]}}; }
inline Quad Cross3(const Quad& a, const Quad& b) {
  return Rotate3(a * Rotate3(b) - Rotate3(a) * b);
}

/// Counts as many operations as sin_cos.h takes.
inline void SinCos(const Pack& x, Pack* sine, Pack* cosine) {
  constexpr int kOperations = 39;
  kernel_operations += kOperations * kWidth;
  for (int l = 0; l < kWidth; ++l) {
    (*sine)[l] = __builtin_sin(x[l]);
    (*cosine)[l] = __builtin_cos(x[l]);
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
