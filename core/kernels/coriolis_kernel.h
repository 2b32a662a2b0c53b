#pragma once

#include "core/kernels/subtree_sums.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// F1 = I^C Φ̇ + B^C Φ, F2 = I^C Φ, F3 = (B^C)ᵀ Φ, whose force part is zero.
CIVITA_INLINE void CalcPairForces(const Block& block, Columns* columns) {
  const V3<Pack>&w = columns->Phi.w, &u = columns->Phi.u;
  columns->F1 = block.J * columns->Phidot;
  columns->F2 = block.J * columns->Phi;
  columns->F1.n = columns->F1.n + block.B.B11 * w;
  columns->F1.f = columns->F1.f + Cross(w, block.B.f);
  columns->F3 = TransposeTimes(block.B.B11, w) + Cross(block.B.f, u);
}

/// Rows of 4×4 numbers into a matrix: row l at column `column + l`, from `row` on.
CIVITA_INLINE void StoreBlock(const Pack* x, MatrixView M, int row, int column, int rows,
                              int columns) {
  double* p = M.data + column * M.stride + row;
  for (int l = 0; l < columns; ++l) StoreSome(p + l * M.stride, x[l], rows);
}

/// The products of one block of slots I, one lane of a broadcast each, with four slots K.
struct PairProducts {
  Pack upper[kLanes], lower[kLanes], H[kLanes];  ///< C_ik, C_ki, H_ik: [lane of I], lanes of K
};
CIVITA_INLINE void CalcPairProducts(const Columns& ci, const Columns& ck, PairProducts* x) {
  const Pack* f1 = &ck.F1.n.x;
  const Pack* f2 = &ck.F2.n.x;
  const Pack* f3 = &ck.F3.x;
  const double* phi = reinterpret_cast<const double*>(&ci.Phi);
  const double* rate = reinterpret_cast<const double*>(&ci.Phidot);
  for (int l = 0; l < kLanes; ++l) {
    const double* a = phi + l;
    const double* d = rate + l;
    x->upper[l] =
        f1[0] * a[0] + f1[1] * a[4] + f1[2] * a[8] + f1[3] * a[12] + f1[4] * a[16] + f1[5] * a[20];
    x->H[l] =
        f2[0] * a[0] + f2[1] * a[4] + f2[2] * a[8] + f2[3] * a[12] + f2[4] * a[16] + f2[5] * a[20];
    x->lower[l] = f2[0] * d[0] + f2[1] * d[4] + f2[2] * d[8] + f2[3] * d[12] + f2[4] * d[16] +
                  f2[5] * d[20] + f3[0] * a[0] + f3[1] * a[4] + f3[2] * a[8];
  }
}

/// A block off the diagonal, `rows` of whose slots K are real.
CIVITA_INLINE void StorePair(PairProducts* x, int i, int k, int rows, MatrixView C, MatrixView H) {
  StoreBlock(x->lower, C, k, i, rows, kLanes);
  StoreBlock(x->H, H, k, i, rows, kLanes);
  Transpose(x->upper[0], x->upper[1], x->upper[2], x->upper[3]);
  Transpose(x->H[0], x->H[1], x->H[2], x->H[3]);
  StoreBlock(x->upper, C, i, k, kLanes, rows);
  StoreBlock(x->H, H, i, k, kLanes, rows);
}

/// A block on the diagonal: C_ik above it, C_ki from it on.
CIVITA_INLINE void StoreDiagonalPair(PairProducts* x, int k, int rows, MatrixView C, MatrixView H) {
  Pack h[kLanes] = {x->H[0], x->H[1], x->H[2], x->H[3]};
  Transpose(x->upper[0], x->upper[1], x->upper[2], x->upper[3]);
  Transpose(h[0], h[1], h[2], h[3]);
  for (unsigned l = 0; l < kLanes; ++l) {
    const PackMask from_lower = MaskOf(15u << l & 15u);
    x->upper[l] = Select(from_lower, x->lower[l], x->upper[l]);
    h[l] = Select(from_lower, x->H[l], h[l]);
  }
  StoreBlock(x->upper, C, k, k, rows, rows);
  StoreBlock(h, H, k, k, rows, rows);
}

CIVITA_INLINE const uint8_t* RelatedTo(const PlanView& plan, const PairBlock& pair) {
  return plan.related + kLanes * (pair.K * plan.blocks + pair.I);
}

/// A block that is not full: on the diagonal, at the edge or at a branching.
CIVITA_INLINE void StoreSparsePair(const PlanView& plan, const PairBlock& pair, PairProducts* x,
                                   MatrixView C, MatrixView H) {
  const int i = kLanes * pair.I, k = kLanes * pair.K;
  const uint8_t* related = RelatedTo(plan, pair);
  for (int l = 0; l < kLanes; ++l) {
    const PackMask mask = MaskOf(related[l]);
    x->upper[l] = And(x->upper[l], mask);
    x->lower[l] = And(x->lower[l], mask);
    x->H[l] = And(x->H[l], mask);
  }
  const int rows = plan.n - k;
  if (pair.I == pair.K) {
    if (rows >= kLanes) {
      StoreDiagonalPair(x, k, kLanes, C, H);
    } else {
      StoreDiagonalPair(x, k, rows, C, H);
    }
  } else if (rows >= kLanes) {
    StorePair(x, i, k, kLanes, C, H);
  } else {
    StorePair(x, i, k, rows, C, H);
  }
}

CIVITA_INLINE void SetZero(int i, int k, int rows, MatrixView M) {
  const Pack zero[kLanes] = {};
  StoreBlock(zero, M, k, i, rows, kLanes);
  StoreBlock(zero, M, i, k, kLanes, rows);
}

/// Armature a·1: H's diagonal, and ½a (v×) in C for rotations that do not commute.
CIVITA_INLINE void AddArmature(const PlanView& plan, const double* v, MatrixView C, MatrixView H) {
  for (int k = 0; k < plan.n; ++k) H.data[k * H.stride + k] += plan.armature[k];
  for (int t = 0; t < plan.num_triples; ++t) {
    const int k = plan.triples[t];
    const double half = 0.5 * plan.armature[k];
    for (int a = 0; a < 3; ++a) {
      const int i = k + a, j = k + (a + 1) % 3, l = k + (a + 2) % 3;
      C.data[l * C.stride + i] += half * v[j];
      C.data[i * C.stride + l] -= half * v[j];
    }
  }
}

inline void CalcCoriolisMatrix(const PlanView& plan, double* scratch, const double* q,
                               const double* v, MatrixView C, MatrixView H) {
  using FrameV = Frame<Carried::kVelocity>;
  const Memory memory(plan, scratch);
  const FrameV* frames = memory.FramesOf<Carried::kVelocity>();
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kVelocity>(plan, memory, {q, v, nullptr, nullptr});
  for (int b = 0; b < plan.blocks; ++b) {
    const LinkBlock& link = plan.links[b];
    Block& block = memory.blocks[b];
    Columns& columns = memory.columns[b];
    const FrameV* f = frames + kLanes * b;
    GatherPose(f, &block);
    block.v = Gather(f[0].v, f[1].v, f[2].v, f[3].v);
    columns.Phi = CalcPhi(link, block);
    columns.Phidot = Cross(block.v, columns.Phi);
    block.J = CalcWorldInertia(link, block);
    block.B = ChristoffelFactor(block.J, block.v);
    ToRows<6>(block, memory.rows + kLanes * b);
  }
  SumRows<6>(plan, memory.rows);
  for (int b = 0; b < plan.blocks; ++b) {
    FromRows<6>(memory.rows + kLanes * b, &memory.blocks[b]);
    CalcPairForces(memory.blocks[b], &memory.columns[b]);
  }
  for (int p = 0; p < plan.num_pairs; ++p) {
    const PairBlock& pair = plan.pairs[p];
    const Columns &ci = memory.columns[pair.I], &ck = memory.columns[pair.K];
    PairProducts x;
    CalcPairProducts(ci, ck, &x);
    if (pair.full) {
      StorePair(&x, kLanes * pair.I, kLanes * pair.K, kLanes, C, H);
    } else {
      StoreSparsePair(plan, pair, &x, C, H);
    }
  }
  for (int p = 0; p < plan.num_apart; ++p) {
    const int i = kLanes * plan.apart[p].I, k = kLanes * plan.apart[p].K;
    const int rows = plan.n - k;
    const int filled = rows < kLanes ? rows : kLanes;
    SetZero(i, k, filled, C);
    SetZero(i, k, filled, H);
  }
  AddArmature(plan, v, C, H);
}

/// H alone, by composite inertias.
inline void CalcMassMatrix(const PlanView& plan, double* scratch, const double* q, MatrixView H) {
  const Memory memory(plan, scratch);
  CalcCompositeInertias(plan, memory, q);
  for (int b = 0; b < plan.blocks; ++b) {
    memory.columns[b].F2 = memory.blocks[b].J * memory.columns[b].Phi;
  }
  for (int p = 0; p < plan.num_pairs; ++p) {
    const PairBlock& pair = plan.pairs[p];
    const Force<Pack>& F2 = memory.columns[pair.K].F2;
    const double* Phi = reinterpret_cast<const double*>(&memory.columns[pair.I].Phi);
    const uint8_t* related = RelatedTo(plan, pair);
    const int i = kLanes * pair.I, k = kLanes * pair.K;
    const int rows = plan.n - k < kLanes ? plan.n - k : kLanes;
    Pack h[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      const double* a = Phi + l;
      h[l] = And(F2.n.x * a[0] + F2.n.y * a[4] + F2.n.z * a[8] + F2.f.x * a[12] + F2.f.y * a[16] +
                     F2.f.z * a[20],
                 MaskOf(related[l]));
    }
    if (pair.I < pair.K) {
      StoreBlock(h, H, k, i, rows, kLanes);
      Transpose(h[0], h[1], h[2], h[3]);
      StoreBlock(h, H, i, k, kLanes, rows);
      continue;
    }
    Pack t[kLanes] = {h[0], h[1], h[2], h[3]};
    Transpose(t[0], t[1], t[2], t[3]);
    for (unsigned l = 0; l < kLanes; ++l) t[l] = Select(MaskOf(15u << l & 15u), h[l], t[l]);
    StoreBlock(t, H, k, k, rows, rows);
  }
  for (int p = 0; p < plan.num_apart; ++p) {
    const int k = kLanes * plan.apart[p].K, rows = plan.n - k;
    SetZero(kLanes * plan.apart[p].I, k, rows < kLanes ? rows : kLanes, H);
  }
  for (int k = 0; k < plan.n; ++k) H.data[k * H.stride + k] += plan.armature[k];
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
