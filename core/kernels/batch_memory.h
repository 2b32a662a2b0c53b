#pragma once

#include "civita/spatial.h"
#include "core/kernels/batch_pack.h"
#include "core/kernels/sin_cos.h"
#include "core/spatial/internal/recursions.h"

// The kernels for many states of one model: the plain algorithms
// (core/spatial/internal/recursions.h) with a state a lane. Axes and reference points are theirs.

/// A constant, the same for all states.
template <>
CIVITA_INLINE civita::kernels::CIVITA_INSTRUCTION_SET::States
civita::internal::Constant<civita::kernels::CIVITA_INSTRUCTION_SET::States>(double x) {
  return kernels::CIVITA_INSTRUCTION_SET::OfAll(x);
}

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

using internal::Cast;
using internal::Constant;
using internal::JointMotion;
using internal::Link;
using internal::Put;
using internal::SumOverSubtrees;
using internal::Tree;

/// As Kinematics<T>::Body.
struct BatchBody {
  M3<States> R_WB;
  V3<States> r, origin;
  Inertia<States> I;
  Motion<States> V;
};

/// A square matrix by columns.
struct Square {
  States* data;
  std::ptrdiff_t n;
  CIVITA_INLINE States& operator()(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return data[i + n * k];
  }
};

/// The same by rows.
struct SquareByRows {
  Square M;
  CIVITA_INLINE States& operator()(std::ptrdiff_t i, std::ptrdiff_t k) const { return M(k, i); }
};

constexpr int kBlock = 4;  ///< of sums side by side

/// How a kernel's scratch is laid out.
struct BatchMemory {
  // By body, of which there are no more than coordinates.
  BatchBody* bodies;
  Inertia<States>* Ic;
  ChristoffelFactor<States>* B;
  Motion<States>*Vr, *A;
  Force<States>* F;
  // By coordinate.
  Motion<States>*Phi, *Phidot, *Psidot, *Psiddot;
  States *q, *v, *v_r, *vdot_r, *tau;
  Square C, H, D;  ///< zero where two coordinates do not move one another
  Square Z;        ///< H⁻¹; a block of packs may be read beyond it

  CIVITA_INLINE BatchMemory(const Tree& tree, double* memory, int nq) {
    const std::ptrdiff_t n = tree.nv;
    bodies = reinterpret_cast<BatchBody*>(memory);
    Ic = reinterpret_cast<Inertia<States>*>(bodies + n);
    B = reinterpret_cast<ChristoffelFactor<States>*>(Ic + n);
    Vr = reinterpret_cast<Motion<States>*>(B + n);
    A = Vr + n;
    F = reinterpret_cast<Force<States>*>(A + n);
    Phi = reinterpret_cast<Motion<States>*>(F + n);
    Phidot = Phi + n;
    Psidot = Phidot + n;
    Psiddot = Psidot + n;
    q = reinterpret_cast<States*>(Psiddot + n);
    v = q + nq;
    v_r = v + n;
    vdot_r = v_r + n;
    tau = vdot_r + n;
    C = {tau + n, n};
    H = {C.data + n * n, n};
    D = {H.data + n * n, n};
    Z = {D.data + n * n, n};
  }
  static size_t Numbers(const PlanView& plan, int nq) {
    const auto n = static_cast<size_t>(plan.nv);
    const size_t by_body = sizeof(BatchBody) + sizeof(Inertia<States>) +
                           sizeof(ChristoffelFactor<States>) + 2 * sizeof(Motion<States>) +
                           sizeof(Force<States>);
    const size_t packs = static_cast<size_t>(nq) + 4 * n + 4 * n * n + kBlock;
    const size_t bytes = n * (by_body + 4 * sizeof(Motion<States>)) + packs * sizeof(States);
    return (bytes / sizeof(double) + kLanes - 1) / kLanes * kLanes;
  }
};

/// The memory with q and v of `count` states.
CIVITA_INLINE BatchMemory LoadState(const Tree& tree, double* scratch, const Batch& batch,
                                    int first, int count) {
  const BatchMemory memory(tree, scratch, batch.nq);
  LoadColumns(batch.q, first, count, batch.nq, memory.q);
  LoadColumns(batch.v, first, count, tree.nv, memory.v);
  return memory;
}

/// R_WB, r and Φ of body b; its parent's are set before.
CIVITA_INLINE void CalcBatchPose(const Link& link, const BatchMemory& memory, int b) {
  const auto sin_cos = [](const States& x, States* s, States* c) { SinCosOfAny(x, s, c); };
  CalcPose(link, memory.q, sin_cos, memory.bodies, &memory.bodies[b], memory.Phi);
}

CIVITA_INLINE void CalcBatchVelocity(const Link& link, const BatchMemory& memory, int b) {
  CalcVelocity(link, memory.v, memory.bodies, &memory.bodies[b], memory.Phi, memory.Phidot);
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
