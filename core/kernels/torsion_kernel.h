#pragma once

#include "core/kernels/composites.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// D = [d× M; −Mᵀ e×], what torsion adds to B of a pack of slots
/// (core/spatial/internal/coriolis_factor.h).
struct alignas(64) TorsionFactor {
  V3<Pack> d;
  M3<Pack> M;
  V3<Pack> e;
  Pack padding;  ///< zero, as rows are summed whole

  static constexpr int kNumbers = 16;
  CIVITA_INLINE Pack* numbers() { return &d.x; }
  CIVITA_INLINE Force<Pack> operator*(const Motion<Pack>& x) const {
    return {Cross(d, x.w) + M * x.u, Cross(e, x.u) - TransposeTimes(M, x.w)};
  }
};

/// Where a factor's row has e.
constexpr int kTorsionE = offsetof(TorsionFactor, e) / sizeof(Pack);
static_assert(sizeof(TorsionFactor) == TorsionFactor::kNumbers * sizeof(Pack));

/// M += a bᵀ − (a·b) 1 = b×a×.
CIVITA_INLINE void AddCrossProduct(const V3<Pack>& a, const V3<Pack>& b, M3<Pack>* M) {
  const Pack dot = Dot(a, b);
  const Pack x[3] = {a.x, a.y, a.z};
  for (int i = 0; i < 3; ++i) {
    M->a[3 * i] += x[i] * b.x;
    M->a[3 * i + 1] += x[i] * b.y;
    M->a[3 * i + 2] += x[i] * b.z;
    M->a[4 * i] -= dot;
  }
}

/// t·D, D = ½(B_L − B_R): d = ½tr(Ī)ω + h×u, M = m u× + ω×h×, e = m ω.
CIVITA_INLINE TorsionFactor CalcFamilyFactor(const LinkPack& link, const M3<Pack>& R,
                                             const V3<Pack>& r, const Motion<Pack>& v, double t) {
  const Pack m = t * link(link.block.m);
  const S3<Pack> I = link(link.block.I);
  const V3<Pack> c = r + R * link(link.block.com);
  const V3<Pack> h = m * c;
  const V3<Pack> mu = m * v.u;
  const Pack half_trace = (0.5 * t) * (I.xx + I.yy + I.zz) + Dot(h, c);
  const Pack zero = {};
  TorsionFactor D;
  D.d = half_trace * v.w + Cross(h, v.u);
  D.M = {{zero, -mu.z, mu.y, mu.z, zero, -mu.x, -mu.y, mu.x, zero}};
  AddCrossProduct(h, v.w, &D.M);
  D.e = m * v.w;
  D.padding = zero;
  return D;
}

/// Injections at one body: β ω of angular ones, and of linear ones, with their sums b = Σβp and
/// P = Σβppᵀ about the reference point, d = P u, M = b×u× + ω×P, e = βu + ω×b.
CIVITA_INLINE void AddInjections(const double* sums, int padded, const M3<Pack>& R,
                                 const V3<Pack>& r, const Motion<Pack>& v, TorsionFactor* D) {
  const auto sum = [=](int a) { return LoadUnaligned(sums + a * padded); };
  const Pack beta = sum(1);
  const V3<Pack> Rb = R * V3<Pack>{sum(2), sum(3), sum(4)};
  const V3<Pack> b = beta * r + Rb;
  const S3<Pack> P_body = {sum(5), sum(6), sum(7), sum(8), sum(9), sum(10)};
  const V3<Pack> rows[3] = {P_body * V3<Pack>{R.a[0], R.a[1], R.a[2]},
                            P_body * V3<Pack>{R.a[3], R.a[4], R.a[5]},
                            P_body * V3<Pack>{R.a[6], R.a[7], R.a[8]}};
  const Pack rs[3] = {r.x, r.y, r.z}, Rbs[3] = {Rb.x, Rb.y, Rb.z};
  V3<Pack> P[3];  // columns: R P Rᵀ + r (Rb)ᵀ + (Rb) rᵀ + β r rᵀ
  for (int a = 0; a < 3; ++a) P[a] = R * rows[a] + Rbs[a] * r + rs[a] * b;
  D->d = D->d + sum(0) * v.w + v.u.x * P[0] + v.u.y * P[1] + v.u.z * P[2];
  AddCrossProduct(v.u, b, &D->M);
  for (int a = 0; a < 3; ++a) {
    const V3<Pack> turned = Cross(v.w, P[a]);
    D->M.a[a] += turned.x;
    D->M.a[3 + a] += turned.y;
    D->M.a[6 + a] += turned.z;
  }
  D->e = D->e + beta * v.u + Cross(v.w, b);
}

/// C_ik += Φ_iᵀ D^C Φ_k and C_ki −= it, for D is skew: column k, with D^C Φ in F1.
CIVITA_INLINE void AddTorsionColumn(const PlanView& plan, const Memory& memory, int k, double* c) {
  const Motion<Pack> Phi = Broadcast(PhiOf(memory.columns, k));
  const Force<Pack> F = Broadcast(AtLane(PackOf(memory.columns, k).F1, LaneOf(k)));
  const Relations relations(plan);
  for (int I = 0; I * kWidth < plan.n; ++I) {
    const unsigned before = relations.Before(I, k), after = relations.After(I, k);
    if ((before | after) == 0) continue;
    const Columns& i = memory.columns[I];
    const Pack x = And(Dot(i.Phi, F), MaskOf(before)) - And(Dot(Phi, i.F1), MaskOf(after));
    double* out = c + I * kWidth;
    const int count = plan.n - I * kWidth;
    if (count >= kWidth) {
      StoreUnaligned(out, LoadUnaligned(out) + x);
    } else {
      for (int l = 0; l < count; ++l) out[l] += x[l];
    }
  }
}

/// The same of the base's translations: forces of the columns, and e× among themselves.
CIVITA_INLINE void AddTorsionOfTranslations(const PlanView& plan, const Memory& memory,
                                            MatrixView C) {
  double* const columns[3] = {C.data - 3 * C.stride, C.data - 2 * C.stride, C.data - C.stride};
  for (int k = 0; k < plan.end[0]; ++k) {
    const V3<double> x = AtLane(PackOf(memory.columns, k).F1.f, LaneOf(k));
    const double f[3] = {x.x, x.y, x.z};
    for (int a = 0; a < 3; ++a) {
      C.data[k * C.stride - 3 + a] += f[a];
      columns[a][k] -= f[a];
    }
  }
  const double* e = memory.rows + kTorsionE;  // of slot 0 and all that it moves
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    columns[b][c - 3] += e[a];
    columns[c][b - 3] -= e[a];
  }
}

/// What torsion adds to C, right after CalcCoriolisMatrix at the same state, whose frames and
/// columns it uses.
inline void AddTorsion(const PlanView& plan, double* scratch, const Torsion& torsion,
                       MatrixView C) {
  const Memory memory(plan, scratch);
  constexpr int kNumbers = TorsionFactor::kNumbers, kStride = Memory::kRowNumbers;
  const auto row = [&](int pack) { return memory.rows + pack * kWidth * kStride; };
  for (int b = 0; b < NumPacks(plan); ++b) {
    const CarriedPack<Carried::kVelocity> f(memory, b);
    TorsionFactor D = CalcFamilyFactor(LinkPack(plan, b), f.R(), f.r(), f.v(), torsion.t);
    if (torsion.injections != nullptr) {
      AddInjections(torsion.injections + b * kWidth, kLanes * plan.blocks, f.R(), f.r(), f.v(), &D);
    }
    ToRows<kNumbers>(D.numbers(), row(b), kStride);
  }
  SumRows<kNumbers>(plan, memory.rows, kStride);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const auto D = FromRows<TorsionFactor>(memory.rows, kStride, b);
    memory.columns[b].F1 = D * memory.columns[b].Phi;
  }
  if (plan.base > 0) AddTorsionOfTranslations(plan, memory, C);
  for (int k = 0; k < plan.n; ++k) AddTorsionColumn(plan, memory, k, C.data + k * C.stride);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
