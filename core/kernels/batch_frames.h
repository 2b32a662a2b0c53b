#pragma once

#include "core/kernels/batch_pack.h"
#include "core/kernels/sin_cos.h"
#include "core/kernels/spatial.h"

// The kernels for many states of one model: the same algebra as of one state, a state a lane, slot
// by slot along the tree. World axes about the position of each tree's root body.

extern "C" double sin(double);
extern "C" double cos(double);

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// What a joint carries: the frame of the body that all of its slots have moved, its velocity,
/// J v_r of a second velocity and the acceleration J v̇_r + J̇ v_r − gravity.
struct BodyState {
  M3<States> R;
  V3<States> r;
  Motion<States> v, vr, a;
};

/// Sums over the subtree of a joint.
struct Subtree {
  Inertia<States> J;
  CoriolisFactor<States> B;
  Force<States> F;
};

/// Columns Φ, Φ̇ of a slot and what C takes from each.
struct SlotColumns {
  Motion<States> Phi, Phidot;
  Force<States> F1, F2;
  V3<States> F3;
};

/// How a kernel's scratch is laid out. By slot; what belongs to a joint stands at its last one.
struct BatchMemory {
  BodyState* bodies;
  Subtree* subtrees;
  SlotColumns* columns;
  V3<States>* symbols;  ///< factors of the symbols' columns, by velocity coordinate
  States *q, *v, *v_r, *vdot_r, *tau;
  States *C, *H;  ///< zero where two coordinates do not move one another

  CIVITA_INLINE BatchMemory(const PlanView& plan, double* memory, int nq) {
    const size_t n = static_cast<size_t>(plan.n);
    bodies = reinterpret_cast<BodyState*>(memory);
    subtrees = reinterpret_cast<Subtree*>(bodies + n);
    columns = reinterpret_cast<SlotColumns*>(subtrees + n);
    symbols = reinterpret_cast<V3<States>*>(columns + n);
    q = reinterpret_cast<States*>(symbols + n + kStates);
    v = q + nq;
    v_r = v + n;
    vdot_r = v_r + n;
    tau = vdot_r + n;
    C = tau + n;
    H = C + n * n;
  }
  static size_t Numbers(const PlanView& plan, int nq) {
    const size_t n = static_cast<size_t>(plan.n);
    const size_t bytes = n * (sizeof(BodyState) + sizeof(Subtree) + sizeof(SlotColumns) +
                              sizeof(V3<States>) + (4 + 2 * n) * sizeof(States)) +
                         kStates * sizeof(V3<States>) + static_cast<size_t>(nq) * sizeof(States);
    return bytes / sizeof(double);
  }
};

/// A joint's constants, the same for all states.
struct Link {
  const LinkBlock& block;
  int lane;

  CIVITA_INLINE Link(const PlanView& plan, int slot)
      : block(plan.links[slot / kLanes]), lane(slot % kLanes) {}

  CIVITA_INLINE States Get(const double (&x)[kLanes]) const { return OfAll(x[lane]); }
  CIVITA_INLINE V3<States> Get(const double (&x)[3][kLanes]) const {
    return {Get(x[0]), Get(x[1]), Get(x[2])};
  }
  CIVITA_INLINE M3<States> Get(const double (&x)[9][kLanes]) const {
    return {{Get(x[0]), Get(x[1]), Get(x[2]), Get(x[3]), Get(x[4]), Get(x[5]), Get(x[6]), Get(x[7]),
             Get(x[8])}};
  }
  CIVITA_INLINE S3<States> Get(const double (&x)[6][kLanes]) const {
    return {Get(x[0]), Get(x[1]), Get(x[2]), Get(x[3]), Get(x[4]), Get(x[5])};
  }
  CIVITA_INLINE bool turns() const { return block.angle[lane] != 0; }
  CIVITA_INLINE bool travels() const { return block.travel[lane] != 0; }
};

/// Slots of the joint that begins at `slot`.
CIVITA_INLINE int SlotsOf(SlotKind kind) {
  return kind == SlotKind::kFree ? 6 : kind == SlotKind::kBall ? 3 : 1;
}

/// Calls f(first, last) for the slots of each joint, from the roots outwards.
template <typename Function>
CIVITA_INLINE void ForEachJoint(const PlanView& plan, const Function& f) {
  for (int slot = 0, next; slot < plan.n; slot = next) {
    next = slot + SlotsOf(plan.kind[slot]);
    f(slot, next - 1);
  }
}

/// SinCos, by the C library in lanes beyond its range.
CIVITA_INLINE void SinCosOfAnyState(const States& x, States* s, States* c) {
  SinCos(x, s, c);
  const auto within = (x <= kSinCosRange) & (x >= -kSinCosRange);
  for (int l = 0; l < kStates; ++l) {
    if (__builtin_expect(within[l] == 0, 0)) {
      (*s)[l] = ::sin(x[l]);
      (*c)[l] = ::cos(x[l]);
    }
  }
}

CIVITA_INLINE M3<States> operator*(const M3<States>& A, const M3<States>& B) {
  M3<States> AB;
  for (int i = 0; i < 9; i += 3) {
    for (int k = 0; k < 3; ++k) {
      AB.a[i + k] = A.a[i] * B.a[k] + A.a[i + 1] * B.a[3 + k] + A.a[i + 2] * B.a[6 + k];
    }
  }
  return AB;
}

CIVITA_INLINE V3<States> Column(const M3<States>& M, int k) {
  return {M.a[k], M.a[3 + k], M.a[6 + k]};
}

/// Rotation of a quaternion [w x y z], normalized here; zero is the identity.
CIVITA_INLINE M3<States> QuaternionToMatrix(const States* q) {
  const States w = q[0], x = q[1], y = q[2], z = q[3];
  const States norm2 = w * w + x * x + y * y + z * z;
  const States s = norm2 > 0 ? 2 / norm2 : OfAll(0);
  return {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
           s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),  //
           s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
}

/// What a joint of one degree of freedom does within its parent: rotation and origin.
CIVITA_INLINE void CalcLocal(const Link& link, const States& x, M3<States>* R, V3<States>* p) {
  *R = link.Get(link.block.R);
  *p = link.Get(link.block.p);
  if (link.travels()) *p = *p + (link.Get(link.block.travel) * x) * Column(*R, 2);
  if (!link.turns()) return;
  States s, c;
  SinCosOfAnyState(link.Get(link.block.angle) * x, &s, &c);
  for (int i = 0; i < 9; i += 3) {
    const States x0 = R->a[i], x1 = R->a[i + 1];
    R->a[i] = x0 * c + x1 * s;
    R->a[i + 1] = x1 * c - x0 * s;
  }
}

/// Three rotations: axes are the columns of the orientation.
CIVITA_INLINE void SetRotationColumns(const BodyState& body, SlotColumns* columns) {
  for (int k = 0; k < 3; ++k) {
    const V3<States> z = Column(body.R, k);
    columns[k].Phi = {z, Cross(body.r, z)};
  }
}

/// Pose of what the joint moves, and its columns Φ.
CIVITA_INLINE void SetPose(const PlanView& plan, const BatchMemory& memory, int first, int last) {
  const Link link(plan, first);
  BodyState& body = memory.bodies[last];
  SlotColumns* columns = memory.columns + first;
  const States* q = memory.q + plan.iq[first];
  const States zero = OfAll(0), one = OfAll(1);
  const V3<States> none = {zero, zero, zero};
  if (plan.kind[first] == SlotKind::kFree) {
    body.R = QuaternionToMatrix(q + 3);
    body.r = none;
    columns[0].Phi = {none, {one, zero, zero}};
    columns[1].Phi = {none, {zero, one, zero}};
    columns[2].Phi = {none, {zero, zero, one}};
    SetRotationColumns(body, columns + 3);
    return;
  }
  const bool ball = plan.kind[first] == SlotKind::kBall;
  CalcLocal(link, ball ? zero : q[0] - plan.reference[first], &body.R, &body.r);
  if (ball) body.R = body.R * QuaternionToMatrix(q);
  if (plan.parent[first] < 0) {
    body.r = none;
  } else {
    const BodyState& parent = memory.bodies[plan.parent[first]];
    body.R = parent.R * body.R;
    body.r = parent.r + parent.R * body.r;
  }
  if (ball) return SetRotationColumns(body, columns);
  const V3<States> z = Column(body.R, 2);
  const V3<States> u = Cross(body.r, z);
  const V3<States> shifted = link.Get(link.block.shift) * z;
  const States turn = link.Get(link.block.turn);
  columns->Phi = {turn * z, turn * u + shifted};
}

CIVITA_INLINE Motion<States> operator+(const Motion<States>& x, const Motion<States>& y) {
  return {x.w + y.w, x.u + y.u};
}
CIVITA_INLINE Motion<States> operator*(const States& s, const Motion<States>& x) {
  return {s * x.w, s * x.u};
}
CIVITA_INLINE void operator+=(Force<States>& x, const Force<States>& y) {
  x.n = x.n + y.n;
  x.f = x.f + y.f;
}
CIVITA_INLINE States Dot(const Motion<States>& x, const Force<States>& F) {
  return Dot(x.w, F.n) + Dot(x.u, F.f);
}

/// Σ Φ_k x_k of a joint.
CIVITA_INLINE Motion<States> JointMotion(const PlanView& plan, const BatchMemory& memory, int first,
                                         int last, const States* x) {
  Motion<States> sum = x[plan.iv[first]] * memory.columns[first].Phi;
  for (int k = first + 1; k <= last; ++k) sum = sum + x[plan.iv[k]] * memory.columns[k].Phi;
  return sum;
}

/// Velocity of what the joint moves, and Φ̇ of its columns, which are carried by it, but that the
/// translations of a free joint are the world's.
CIVITA_INLINE void SetVelocity(const PlanView& plan, const BatchMemory& memory, int first,
                               int last) {
  BodyState& body = memory.bodies[last];
  body.v = JointMotion(plan, memory, first, last, memory.v);
  if (plan.parent[first] >= 0) body.v = memory.bodies[plan.parent[first]].v + body.v;
  const int carried = plan.kind[first] == SlotKind::kFree ? first + 3 : first;
  for (int k = first; k < carried; ++k) memory.columns[k].Phidot = Motion<States>{};
  for (int k = carried; k <= last; ++k) {
    memory.columns[k].Phidot = Cross(body.v, memory.columns[k].Phi);
  }
}

CIVITA_INLINE Inertia<States> CalcWorldInertia(const PlanView& plan, const BatchMemory& memory,
                                               int slot) {
  const Link link(plan, slot);
  const BodyState& body = memory.bodies[slot];
  return WorldInertia(body.R, body.r, link.Get(link.block.m), link.Get(link.block.com),
                      link.Get(link.block.I));
}

CIVITA_INLINE void operator+=(Inertia<States>& x, const Inertia<States>& y) {
  x.m += y.m;
  x.h = x.h + y.h;
  x.I = {x.I.xx + y.I.xx, x.I.xy + y.I.xy, x.I.xz + y.I.xz,
         x.I.yy + y.I.yy, x.I.yz + y.I.yz, x.I.zz + y.I.zz};
}
CIVITA_INLINE void operator+=(CoriolisFactor<States>& x, const CoriolisFactor<States>& y) {
  for (int a = 0; a < 9; ++a) x.B11.a[a] += y.B11.a[a];
  x.f = x.f + y.f;
}

/// Calls f(k, last) for every slot k from the leaves inwards, with the last slot of its joint,
/// whose subtree is summed by then; add(parent, subtree) sums.
template <typename Function, typename Add>
CIVITA_INLINE void ForEachSlotInwards(const PlanView& plan, const BatchMemory& memory,
                                      const Function& f, const Add& add) {
  int last = plan.n - 1;
  for (int k = plan.n - 1; k >= 0; --k) {
    f(k, last);
    if (plan.kind[k] == SlotKind::kContinued) continue;
    if (plan.parent[k] >= 0) add(memory.subtrees[plan.parent[k]], memory.subtrees[last]);
    last = k - 1;
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
