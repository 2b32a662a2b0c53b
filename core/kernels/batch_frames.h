#pragma once

#include "civita/spatial.h"
#include "core/kernels/batch_pack.h"
#include "core/kernels/sin_cos.h"

// The kernels for many states of one model: the same algebra as of one state, a state a lane, slot
// by slot along the tree. World axes about the position of each tree's root body.

extern "C" double sin(double);
extern "C" double cos(double);

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Orientation and origin of what a joint moves.
struct Pose {
  M3<States> R;
  V3<States> r;
};

/// What a joint carries: the pose of the body that all of its slots have moved, and its velocity.
struct BodyState {
  Pose pose;
  Motion<States> v;
};

/// J v_r of a second velocity and the acceleration J v̇_r + J̇ v_r − gravity of the same.
struct BodyRates {
  Motion<States> v_r, a;
};

/// Inertia and Coriolis factor of the same.
struct InertiaAndFactor {
  Inertia<States> J;
  ChristoffelFactor<States> B;
};

/// Columns of a slot.
struct SlotColumns {
  Motion<States> Phi, Phidot;
};

/// How a kernel's scratch is laid out. By slot, the base's before slot 0; what belongs to a joint
/// stands at its last one.
struct BatchMemory {
  BodyState* bodies;
  BodyRates* rates;
  InertiaAndFactor *sums, *zero;  ///< of or others (ForEachJointInwards)
  Force<States>* forces;          ///< net, on what a joint moves
  SlotColumns* columns;
  States *q, *v, *v_r, *vdot_r, *tau;
  States *C, *H;  ///< zero where two coordinates do not move one another

  CIVITA_INLINE BatchMemory(const PlanView& plan, double* memory, int nq) {
    const std::ptrdiff_t n = plan.nv;
    bodies = reinterpret_cast<BodyState*>(memory);
    rates = reinterpret_cast<BodyRates*>(bodies + n);
    sums = reinterpret_cast<InertiaAndFactor*>(rates + n);
    zero = sums + n;
    forces = reinterpret_cast<Force<States>*>(zero + 1);
    columns = reinterpret_cast<SlotColumns*>(forces + n);
    q = reinterpret_cast<States*>(columns + n);
    v = q + nq;
    v_r = v + n;
    vdot_r = v_r + n;
    tau = vdot_r + n;
    C = tau + n;
    H = C + n * n;
    columns += plan.base;  // to slot 0; what belongs to a joint is never before that
  }
  static size_t Numbers(const PlanView& plan, int nq) {
    const std::ptrdiff_t n = plan.nv;
    const std::ptrdiff_t packs = nq + 4 * n + 2 * n * n;
    const size_t of_slots =
        static_cast<size_t>(n) * (sizeof(BodyState) + sizeof(BodyRates) + sizeof(InertiaAndFactor) +
                                  sizeof(Force<States>) + sizeof(SlotColumns));
    const size_t numbers =
        (of_slots + sizeof(*zero) + static_cast<size_t>(packs) * sizeof(States)) / sizeof(double);
    return (numbers + kLanes - 1) / kLanes * kLanes;
  }
};

/// A joint's constants, the same for all states.
struct Link {
  const LinkBlock& block;
  int lane;

  CIVITA_INLINE Link(const PlanView& plan, int slot)
      : block(plan.links[static_cast<unsigned>(slot) / kLanes]),
        lane(static_cast<int>(static_cast<unsigned>(slot) % kLanes)) {}

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
  CIVITA_INLINE bool is_plain_hinge() const {
    return block.turn[lane] == 1 && block.shift[lane] == 0;
  }
};

/// Slots of the joint that begins at `slot`.
CIVITA_INLINE int SlotsOf(SlotKind kind) {
  return kind == SlotKind::kFree ? 6 : kind == SlotKind::kBall ? 3 : 1;
}

/// Calls f(first, last) for the slots of each joint, from the roots outwards.
template <typename Function>
CIVITA_INLINE void ForEachJoint(const PlanView& plan, const Function& f) {
  for (int slot = -plan.base, next; slot < plan.n; slot = next) {
    next = slot + SlotsOf(plan.kind[slot]);
    f(slot, next - 1);
  }
}

/// Sines and cosines by the C library in lanes beyond SinCos's range or not finite.
__attribute__((noinline)) inline void CorrectSinCos(const States& x, States* s, States* c) {
  for (int l = 0; l < kStates; ++l) {
    if (x[l] <= kSinCosRange && x[l] >= -kSinCosRange) continue;
    (*s)[l] = ::sin(x[l]);
    (*c)[l] = ::cos(x[l]);
  }
}

/// Rotation of a quaternion [w x y z], normalized here; zero is the identity, NaN stays NaN.
CIVITA_INLINE M3<States> QuaternionToMatrix(const States* q) {
  const States w = q[0], x = q[1], y = q[2], z = q[3];
  const States norm2 = w * w + x * x + y * y + z * z;
  const States s = norm2 == 0 ? OfAll(0) : 2 / norm2;
  return {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
           s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),  //
           s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
}

// Number by number: GCC 12 copies structs that were made in registers by way of the stack.
CIVITA_INLINE void Put(const V3<States>& x, V3<States>* to) {
  to->x = x.x;
  to->y = x.y;
  to->z = x.z;
}
CIVITA_INLINE void Put(const M3<States>& x, M3<States>* to) {
  const auto put = [&](int i) {
    to->a[i] = x.a[i];
    to->a[i + 1] = x.a[i + 1];
    to->a[i + 2] = x.a[i + 2];
  };
  put(0);
  put(3);
  put(6);
}
CIVITA_INLINE void Put(const Motion<States>& x, Motion<States>* to) {
  Put(x.w, &to->w);
  Put(x.u, &to->u);
}
CIVITA_INLINE void Put(const Force<States>& x, Force<States>* to) {
  Put(x.n, &to->n);
  Put(x.f, &to->f);
}
CIVITA_INLINE void Put(const Inertia<States>& x, Inertia<States>* to) {
  to->m = x.m;
  Put(x.h, &to->h);
  to->Ibar.xx = x.Ibar.xx;
  to->Ibar.xy = x.Ibar.xy;
  to->Ibar.xz = x.Ibar.xz;
  to->Ibar.yy = x.Ibar.yy;
  to->Ibar.yz = x.Ibar.yz;
  to->Ibar.zz = x.Ibar.zz;
}
CIVITA_INLINE void Put(const ChristoffelFactor<States>& x, ChristoffelFactor<States>* to) {
  Put(x.B11, &to->B11);
  Put(x.f, &to->f);
}
CIVITA_INLINE void Put(const InertiaAndFactor& x, InertiaAndFactor* to) {
  Put(x.J, &to->J);
  Put(x.B, &to->B);
}

/// Pose from the one in the parent: in the tree's axes and about its reference point, where its
/// first body is.
CIVITA_INLINE void Compose(const PlanView& plan, const BatchMemory& memory, int first,
                           const M3<States>& R, const V3<States>& p, Pose* pose) {
  if (plan.parent[first] < 0) {
    Put(R, &pose->R);
    Put(V3<States>{}, &pose->r);
    return;
  }
  const Pose& parent = memory.bodies[plan.parent[first]].pose;
  Put(parent.R * R, &pose->R);
  Put(parent.r + parent.R * p, &pose->r);
}

/// Pose of what a ball or free joint moves, and its columns Φ.
__attribute__((noinline)) inline void SetPoseOfTriple(const PlanView& plan,
                                                      const BatchMemory& memory, int first,
                                                      int last) {
  const States* q = memory.q + plan.iq[first];
  const States zero{}, one = OfAll(1);
  const V3<States> none{};
  SlotColumns* columns = memory.columns + first;
  Pose& pose = memory.bodies[last].pose;
  if (plan.kind[first] == SlotKind::kFree) {
    pose = {QuaternionToMatrix(q + 3), none};
    columns[0].Phi = {none, {one, zero, zero}};
    columns[1].Phi = {none, {zero, one, zero}};
    columns[2].Phi = {none, {zero, zero, one}};
    columns += 3;
  } else {
    const Link link(plan, first);
    Compose(plan, memory, first, link.Get(link.block.R), link.Get(link.block.p), &pose);
    pose.R = pose.R * QuaternionToMatrix(q);
  }
  for (int k = 0; k < 3; ++k) {  // about the axes of the body
    const V3<States> z = ColumnOf(pose.R, k);
    columns[k].Phi = {z, Cross(pose.r, z)};
  }
}

/// Pose of what the joint moves, and its columns Φ = [turn·z; turn·r×z + shift·z].
CIVITA_INLINE void SetPose(const PlanView& plan, const BatchMemory& memory, int first, int last) {
  if (first < last) return SetPoseOfTriple(plan, memory, first, last);
  const Link link(plan, first);
  const States x = memory.q[plan.iq[first]] - plan.reference[first];
  const States angle = link.Get(link.block.angle) * x;
  States s, c;
  SinCos(angle, &s, &c);
  if (__builtin_expect(!AllWithin(angle, kSinCosRange), 0)) CorrectSinCos(angle, &s, &c);
  const M3<States> F = link.Get(link.block.R);
  const States* a = F.a;
  const M3<States> R = {{a[0] * c + a[1] * s, a[1] * c - a[0] * s, a[2],  //
                         a[3] * c + a[4] * s, a[4] * c - a[3] * s, a[5],  //
                         a[6] * c + a[7] * s, a[7] * c - a[6] * s, a[8]}};
  const States travel = link.Get(link.block.travel) * x;
  Pose& pose = memory.bodies[first].pose;
  Compose(plan, memory, first, R, link.Get(link.block.p) + travel * ColumnOf(F, 2), &pose);
  V3<States> z = ColumnOf(pose.R, 2), u = Cross(pose.r, z);
  if (!link.is_plain_hinge()) {
    const States turn = link.Get(link.block.turn);
    u = turn * u + link.Get(link.block.shift) * z;
    z = turn * z;
  }
  Put({z, u}, &memory.columns[first].Phi);
}

/// Σ Φ_k x_k of some slots of a joint.
CIVITA_INLINE Motion<States> JointMotion(const PlanView& plan, const BatchMemory& memory, int first,
                                         int last, const States* x) {
  Motion<States> sum = x[plan.iv[first]] * memory.columns[first].Phi;
  for (int k = first + 1; k <= last; ++k) sum = sum + x[plan.iv[k]] * memory.columns[k].Phi;
  return sum;
}

/// The first of a joint's slots that what it moves carries: the translations of a free joint are
/// the world's.
CIVITA_INLINE int FirstCarried(const PlanView& plan, int first) {
  return plan.kind[first] == SlotKind::kFree ? first + 3 : first;
}

/// Velocity of what the joint moves.
CIVITA_INLINE Motion<States> CalcVelocity(const PlanView& plan, const BatchMemory& memory,
                                          int first, int last) {
  const Motion<States> v = JointMotion(plan, memory, first, last, memory.v);
  if (plan.parent[first] < 0) return v;
  return memory.bodies[plan.parent[first]].v + v;
}

/// Φ̇ of the joint's columns.
CIVITA_INLINE void SetColumnRates(const PlanView& plan, const BatchMemory& memory, int first,
                                  int last, const Motion<States>& v) {
  const int carried = FirstCarried(plan, first);
  for (int k = first; k < carried; ++k) memory.columns[k].Phidot = Motion<States>{};
  for (int k = carried; k <= last; ++k) {
    Put(Cross(v, memory.columns[k].Phi), &memory.columns[k].Phidot);
  }
}

CIVITA_INLINE Inertia<States> CalcWorldInertia(const PlanView& plan, const BatchMemory& memory,
                                               int slot) {
  const Link link(plan, slot);
  const Pose& pose = memory.bodies[slot].pose;
  return WorldInertia(pose.R, pose.r, link.Get(link.block.m), link.Get(link.block.com),
                      link.Get(link.block.I));
}

// The same of sums.
CIVITA_INLINE void PutSum(const V3<States>& x, const V3<States>& y, V3<States>* to) {
  to->x = x.x + y.x;
  to->y = x.y + y.y;
  to->z = x.z + y.z;
}
CIVITA_INLINE void PutSum(const Force<States>& x, const Force<States>& y, Force<States>* to) {
  PutSum(x.n, y.n, &to->n);
  PutSum(x.f, y.f, &to->f);
}
CIVITA_INLINE void PutSum(const Inertia<States>& x, const Inertia<States>& y, Inertia<States>* to) {
  to->m = x.m + y.m;
  PutSum(x.h, y.h, &to->h);
  to->Ibar.xx = x.Ibar.xx + y.Ibar.xx;
  to->Ibar.xy = x.Ibar.xy + y.Ibar.xy;
  to->Ibar.xz = x.Ibar.xz + y.Ibar.xz;
  to->Ibar.yy = x.Ibar.yy + y.Ibar.yy;
  to->Ibar.yz = x.Ibar.yz + y.Ibar.yz;
  to->Ibar.zz = x.Ibar.zz + y.Ibar.zz;
}
CIVITA_INLINE void PutSum(const ChristoffelFactor<States>& x, const ChristoffelFactor<States>& y,
                          ChristoffelFactor<States>* to) {
  for (int a = 0; a < 9; ++a) to->B11.a[a] = x.B11.a[a] + y.B11.a[a];
  PutSum(x.f, y.f, &to->f);
}
CIVITA_INLINE void PutSum(const InertiaAndFactor& x, const InertiaAndFactor& y,
                          InertiaAndFactor* to) {
  PutSum(x.J, y.J, &to->J);
  PutSum(x.B, y.B, &to->B);
}

/// Calls f(first, last, sum) for the slots of each joint from the leaves inwards; own(last, to)
/// adds to what its children move what the joint moves itself, and sum is that over all. What a
/// parent's first child adds is at hand, because the parent comes next; what other children add
/// waits in `waiting`, of all slots.
template <typename Sum, typename Own, typename Function>
CIVITA_INLINE void ForEachJointInwards(const PlanView& plan, const Sum& zero, Sum* waiting,
                                       const Own& own, const Function& f) {
  Sum sums[2];
  for (int last = plan.n - 1, first, at = 0; last >= -plan.base; last = first - 1, at = 1 - at) {
    const int child = last + 1, end = plan.end[last];
    Sum& sum = sums[at];
    own(last, child < end ? sums[1 - at] : zero, &sum);
    if (child < end && plan.end[child] < end) PutSum(sum, waiting[last], &sum);
    first = last;
    while (plan.kind[first] >= SlotKind::kBaseRotations) --first;
    f(first, last, sum);
    const int parent = plan.parent[first];
    if (parent < 0 || first == parent + 1) continue;
    if (end == plan.end[parent]) {
      Put(sum, &waiting[parent]);
    } else {
      PutSum(sum, waiting[parent], &waiting[parent]);
    }
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
