#pragma once

#include "core/kernels/batch_factor.h"
#include "core/kernels/batch_rnea.h"

// Derivatives of inverse dynamics by CalcDerivativePairs, and of forward dynamics, −H⁻¹ times them.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// ψ̇ and ψ̈ of the joint of body b as CalcFlowsOf of core/dynamics/internal/flows.h has them, and
/// Φ̇ + ψ̇ in the place of Φ̇.
CIVITA_INLINE void CalcFlows(const Tree& tree, const BatchMemory& memory, int b) {
  const Link& link = tree.links[b];
  Motion<States> V = {}, A = {{}, Cast<States>(-tree.gravity)};
  if (link.parent >= 0) {
    Put(memory.bodies[link.parent].V, &V);
    Put(memory.A[link.parent], &A);
  }
  if (link.joint == JointType::kFree) {
    V.u += V3<States>{memory.v[link.iv], memory.v[link.iv + 1], memory.v[link.iv + 2]};
    const States* const vdot = memory.vdot_r + link.iv;
    A.u += V3<States>{vdot[0], vdot[1], vdot[2]};
  }
  for (int k = link.iv; k < link.iv + link.nv; ++k) {
    const Motion<States> Psidot = Cross(V, memory.Phi[k]);
    Put(Psidot, &memory.Psidot[k]);
    Put(Cross(A, memory.Phi[k]) + Cross(V, Psidot), &memory.Psiddot[k]);
    memory.Phidot[k] += Psidot;
  }
}

/// ∂τ/∂q in memory.D, ∂τ/∂v in memory.C, and H.
template <typename Matrix>
CIVITA_INLINE void CalcDerivatives(const Tree& tree, const BatchMemory& memory, const Batch& batch,
                                   int first, int count, Matrix H) {
  LoadColumns(batch.vdot_r, first, count, tree.nv, memory.vdot_r);
  for (int b = 0; b < tree.num_bodies; ++b) {
    const Link& link = tree.links[b];
    const BatchBody& body = memory.bodies[b];
    CalcMotion(tree, memory, b, memory.v);
    CalcInertia<States>(link, &memory.bodies[b]);
    Put(body.I, &memory.Ic[b]);
    Put(CalcChristoffelFactor(body.I, body.V), &memory.B[b]);
    Put(NetForceOn(tree, memory, b), &memory.F[b]);
    CalcFlows(tree, memory, b);
  }
  SumOverSubtrees(tree, memory.Ic);
  SumOverSubtrees(tree, memory.B);
  SumOverSubtrees(tree, memory.F);
  const auto phi_rate = [&](int k) -> const Motion<States>& { return memory.Phidot[k]; };
  const Square by_q = memory.D, by_v = memory.C;
  CalcDerivativePairs(tree, memory.Ic, memory.B, memory.F, memory.Phi, phi_rate, memory.Psidot,
                      memory.Psiddot, by_q, by_v, H);
}

inline void CalcInverseDynamicsDerivatives(const PlanView& plan, double* scratch,
                                           const Batch& batch, int first, int count) {
  const Tree& tree = *plan.tree;
  const BatchMemory memory = LoadState(tree, scratch, batch, first, count);
  CalcDerivatives(tree, memory, batch, first, count, memory.H);
  const int numbers = tree.nv * tree.nv;
  StoreColumns(memory.D.data, numbers, batch.D, first, count);
  StoreColumns(memory.C.data, numbers, batch.C, first, count);
  StoreColumns(memory.H.data, numbers, batch.H, first, count);
}

/// Columns of −H⁻¹ M and −H⁻¹ N of coordinate order[n], which has numbers where it moves another
/// one or is moved. Those of H⁻¹ serve both.
CIVITA_INLINE void StoreProducts(const Tree& tree, const BatchMemory& memory, const Batch& batch,
                                 int first, int count, int n) {
  const int k = tree.order[n], nv = tree.nv, depth = tree.depth[k];
  int* const with_numbers = reinterpret_cast<int*>(memory.v);
  int size = 0;
  for (int i = k; i >= 0; i = tree.parent[i]) with_numbers[size++] = i;
  for (int m = n + 1; m < nv && tree.depth[tree.order[m]] > depth; ++m) {
    with_numbers[size++] = tree.order[m];
  }
  const Square Z = memory.Z;
  const States *const by_q = &memory.D(0, k), *const by_v = &memory.C(0, k);
  auto* const x = reinterpret_cast<States*>(memory.Phi);  // both longer than whole blocks
  auto* const y = reinterpret_cast<States*>(memory.Phidot);
  for (int i = 0; i < nv; i += kBlock) {
    States p[kBlock] = {}, r[kBlock] = {};
#pragma GCC unroll 1
    for (int s = 0; s < size; ++s) {
      const int j = with_numbers[s];
      const States* const z = &Z(i, j);
      const States a = by_q[j], b = by_v[j];
#pragma GCC unroll 4
      for (int c = 0; c < kBlock; ++c) {
        p[c] -= z[c] * a;
        r[c] -= z[c] * b;
      }
    }
    for (int c = 0; c < kBlock; ++c) {
      x[i + c] = p[c];
      y[i + c] = r[c];
    }
  }
  const std::ptrdiff_t offset = std::ptrdiff_t{nv} * k;
  StoreColumns(x, nv, {batch.D.data + offset, batch.D.stride}, first, count);
  StoreColumns(y, nv, {batch.C.data + offset, batch.C.stride}, first, count);
}

inline void CalcForwardDynamicsDerivatives(const PlanView& plan, double* scratch,
                                           const Batch& batch, int first, int count) {
  const Tree& tree = *plan.tree;
  const BatchMemory memory = LoadState(tree, scratch, batch, first, count);
  CalcDerivatives(tree, memory, batch, first, count, ByDepth{memory.Z, tree.depth});
  Factor(tree, memory, batch, first, count);
  Invert(tree, memory);
  for (int n = 0; n < tree.nv; ++n) StoreProducts(tree, memory, batch, first, count, n);
  StoreColumns(memory.Z.data, tree.nv * tree.nv, batch.H, first, count);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
