#pragma once

#include "civita/spatial.h"
#include "core/kernels/kernels.h"
#include "core/kernels/pack.h"
#include "core/kernels/rows.h"
#include "core/kernels/sin_cos.h"
#include "core/spatial/internal/recursions.h"

// The kernels, compiled once an instruction set. They do what the plain algorithms of core do
// (coriolis.cc, christoffel.cc, rnea.cc), a pack of slots at a time: stages are separate loops over
// blocks, so that all but the chain of poses is independent work. World axes about the position of
// each tree's root body.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// A spatial motion by columns [x y z ·].
struct ColumnMotion {
  Quad w, u;
};

CIVITA_INLINE Motion<double> ToMotion(const ColumnMotion& x) {
  return {{x.w[0], x.w[1], x.w[2]}, {x.u[0], x.u[1], x.u[2]}};
}

CIVITA_INLINE ColumnMotion operator+(const ColumnMotion& x, const ColumnMotion& y) {
  return {x.w + y.w, x.u + y.u};
}

/// What is carried from the roots outwards; each has all of the one before it.
enum class Carried {
  kPose,
  kVelocity,      ///< ξ = J v
  kAcceleration,  ///< J v̇_r + J̇ v_r − gravity, where v_r = v
  kReference,     ///< the same for a v_r of its own, and J v_r
  kPower,         ///< the same, and J s of a third velocity s
};

/// A slot's frame: orientation by columns [x y z ·], c2 along the slot's axis, and position.
template <Carried kCarried>
struct alignas(64) Frame {
  Quad c0, c1, c2, r;
};
template <>
struct Frame<Carried::kVelocity> : Frame<Carried::kPose> {
  ColumnMotion v;
};
template <>
struct Frame<Carried::kAcceleration> : Frame<Carried::kVelocity> {
  ColumnMotion a;
};
template <>
struct Frame<Carried::kReference> : Frame<Carried::kAcceleration> {
  ColumnMotion vr;
};
template <>
struct Frame<Carried::kPower> : Frame<Carried::kReference> {
  ColumnMotion s;
};

/// Where a frame has what, in doubles: each struct goes on where the one before it ends.
enum FrameNumber : int {
  kFrameR = 12,
  kFrameV = sizeof(Frame<Carried::kPose>) / sizeof(double),
  kFrameA = sizeof(Frame<Carried::kVelocity>) / sizeof(double),
  kFrameVr = sizeof(Frame<Carried::kAcceleration>) / sizeof(double),
  kFrameS = sizeof(Frame<Carried::kReference>) / sizeof(double),
};
static_assert(offsetof(Frame<Carried::kPose>, r) == kFrameR * sizeof(double));
static_assert(sizeof(ColumnMotion) == 8 * sizeof(double));

/// The state and its rates, padded with zeros to whole blocks but for q.
struct Inputs {
  const double *q, *v, *v_r, *vdot_r, *s = nullptr;
};

/// Columns Φ, Φ̇ and what H and C take from each, of a pack of slots (coriolis_kernel.h).
struct alignas(64) Columns {
  Motion<Pack> Phi, Phidot;
  Force<Pack> F1, F2;
  V3<Pack> F3;
};

/// What derivatives take from each (derivatives_kernel.h): the same numbers first, for H and ∂τ/∂v,
/// with Φ̇ + ψ̇ in place of Φ̇, and for ∂τ/∂q ψ̇'s angular part, ψ̈ and G.
struct alignas(64) DerivativeColumns {
  Motion<Pack> Phi, Phidot;
  Force<Pack> F1, F2;
  V3<Pack> F3, Psidot;
  Motion<Pack> Psiddot;
  Force<Pack> G;
};

/// What derivatives of H v̇_r + C v_r + g take from each (passivity_derivatives_kernel.h).
struct alignas(64) ReferenceColumns {
  Motion<Pack> Phi, Chi;
  Force<Pack> F1, F2, Qr, Q;
  Motion<Pack> Psidot, Chidot;
  Force<Pack> G;
};

/// I^C and B̃ = B(Φ, I^C) of a pack of slots.
struct alignas(64) Composites {
  Inertia<Pack> J;
  ChristoffelFactor<Pack> B;
};

/// What a joint does within its parent: rotation and origin.
struct alignas(64) Local {
  M3<Pack> R;
  V3<Pack> p;
};

/// How a kernel's scratch is laid out: everything by packs of slots, or by slots in their order.
struct Memory {
  static constexpr int kFrameNumbers = sizeof(Frame<Carried::kPower>) / sizeof(double);
  static constexpr int kRowNumbers = 24, kRowNumbersWithForce = 32, kMostRowNumbers = 64;
  static constexpr int kArticulatedNumbers = 56, kFactorSlots = 32;

  Local* locals;
  Columns* columns;
  Composites* composites;
  Motion<Pack>* path;  ///< Φ along a path
  int* frame_of;       ///< by slot (regressor_kernel.h)
  double* frames;      ///< kFrameNumbers a slot
  double* factors;     ///< from there on, a_ik of kFactorSlots k (christoffel_kernel.h)
  double* rows;        ///< the numbers that are summed over subtrees, kMostRowNumbers a slot
  DerivativeColumns* derivatives;
  ReferenceColumns* references;  ///< in their place
  double* articulated;           ///< kArticulatedNumbers a slot, in their place

  CIVITA_INLINE Memory(const PlanView& plan, double* memory) {
    const size_t packs = static_cast<size_t>(plan.blocks) * (kLanes / kWidth);
    locals = reinterpret_cast<Local*>(memory);
    columns = reinterpret_cast<Columns*>(locals + packs);
    composites = reinterpret_cast<Composites*>(columns + packs);
    path = reinterpret_cast<Motion<Pack>*>(composites + packs);
    frame_of = reinterpret_cast<int*>(path + packs);
    frames = factors = reinterpret_cast<double*>(path + packs) + packs * kWidth;
    rows = frames + packs * kWidth * kFrameNumbers;
    double* const last = rows + packs * kWidth * kMostRowNumbers;
    derivatives = reinterpret_cast<DerivativeColumns*>(last);
    references = reinterpret_cast<ReferenceColumns*>(last);
    articulated = last;
  }
  static size_t Numbers(const PlanView& plan) {
    constexpr size_t kLast = kArticulatedNumbers * kWidth;
    static_assert(kLast * sizeof(double) >= sizeof(ReferenceColumns) &&
                  kLast * sizeof(double) >= sizeof(DerivativeColumns));
    const size_t pack_numbers = (sizeof(Local) + sizeof(Columns) + sizeof(Composites) +
                                 sizeof(Motion<Pack>) + sizeof(Pack)) /
                                sizeof(double);
    const size_t slots = static_cast<size_t>(plan.blocks) * kLanes;
    static_assert(3 * (kFactorSlots + kLanes) <=
                  kFrameNumbers + kMostRowNumbers + kArticulatedNumbers);
    return slots * (kFrameNumbers + kMostRowNumbers) + slots / kWidth * (pack_numbers + kLast);
  }
  /// Numbers from one row of `factors` to the next.
  CIVITA_INLINE static std::ptrdiff_t FactorStride(const PlanView& plan) {
    return (plan.base + kLanes * plan.blocks + kWidth - 1) / kWidth * kWidth;
  }

  template <Carried kCarried>
  CIVITA_INLINE Frame<kCarried>* FramesOf() const {
    return reinterpret_cast<Frame<kCarried>*>(frames);
  }
};

/// Packs that hold all slots.
CIVITA_INLINE int NumPacks(const PlanView& plan) { return (plan.n + kWidth - 1) / kWidth; }

/// The pack of a slot and its lane in there.
template <typename T>
CIVITA_INLINE T& PackOf(T* packs, int slot) {
  return packs[static_cast<unsigned>(slot) / kWidth];  // unsigned: one instruction
}
CIVITA_INLINE unsigned LaneOf(int slot) { return static_cast<unsigned>(slot) % kWidth; }

// What is kept in packs, of one lane. From memory: a pack in a register would go there first.
CIVITA_INLINE const double& AtLane(const Pack& x, unsigned lane) {
  return reinterpret_cast<const double*>(&x)[lane];
}
CIVITA_INLINE V3<double> AtLane(const V3<Pack>& x, unsigned lane) {
  return {AtLane(x.x, lane), AtLane(x.y, lane), AtLane(x.z, lane)};
}
CIVITA_INLINE Motion<double> AtLane(const Motion<Pack>& x, unsigned lane) {
  return {AtLane(x.w, lane), AtLane(x.u, lane)};
}
CIVITA_INLINE Force<double> AtLane(const Force<Pack>& x, unsigned lane) {
  return {AtLane(x.n, lane), AtLane(x.f, lane)};
}
CIVITA_INLINE void PutAtLane(const V3<double>& x, unsigned lane, V3<Pack>* to) {
  to->x[lane] = x.x;
  to->y[lane] = x.y;
  to->z[lane] = x.z;
}
CIVITA_INLINE void PutAtLane(const Motion<double>& x, unsigned lane, Motion<Pack>* to) {
  PutAtLane(x.w, lane, &to->w);
  PutAtLane(x.u, lane, &to->u);
}
CIVITA_INLINE Inertia<double> AtLane(const Inertia<Pack>& x, unsigned lane) {
  const S3<Pack>& I = x.Ibar;
  return {AtLane(x.m, lane),
          AtLane(x.h, lane),
          {AtLane(I.xx, lane), AtLane(I.xy, lane), AtLane(I.xz, lane), AtLane(I.yy, lane),
           AtLane(I.yz, lane), AtLane(I.zz, lane)}};
}

// One number in all lanes.
CIVITA_INLINE V3<Pack> Broadcast(const V3<double>& x) {
  return {Broadcast(x.x), Broadcast(x.y), Broadcast(x.z)};
}
CIVITA_INLINE Motion<Pack> Broadcast(const Motion<double>& x) {
  return {Broadcast(x.w), Broadcast(x.u)};
}
CIVITA_INLINE Force<Pack> Broadcast(const Force<double>& x) {
  return {Broadcast(x.n), Broadcast(x.f)};
}

/// Constants of a pack of slots, by number of LinkBlock.
struct LinkPack {
  const LinkBlock& block;
  int lane;

  CIVITA_INLINE LinkPack(const PlanView& plan, int pack)
      : block(plan.links[pack * kWidth / kLanes]), lane(pack * kWidth % kLanes) {}
  CIVITA_INLINE Pack operator()(const double (&number)[kLanes]) const {
    return Load(number + lane);
  }
  CIVITA_INLINE V3<Pack> operator()(const double (&number)[3][kLanes]) const {
    return {Load(number[0] + lane), Load(number[1] + lane), Load(number[2] + lane)};
  }
  CIVITA_INLINE S3<Pack> operator()(const double (&number)[6][kLanes]) const {
    return {Load(number[0] + lane), Load(number[1] + lane), Load(number[2] + lane),
            Load(number[3] + lane), Load(number[4] + lane), Load(number[5] + lane)};
  }
};

/// What the joints of a pack of slots do: rotation and displacement.
CIVITA_INLINE void CalcLocal(const PlanView& plan, const Memory& memory, const double* q, int b) {
  const LinkPack link(plan, b);
  const int* iq = plan.iq + kWidth * b;
  Pack x;
  for (int l = 0; l < kWidth; ++l) x[l] = q[iq[l]];
  x -= LoadUnaligned(plan.reference + kWidth * b);
  Pack s, c;
  SinCosOfAny(x * link(link.block.angle), &s, &c);
  Local& local = memory.locals[b];
  const Pack d = x * link(link.block.travel);
  Pack axis[3];
  for (int a = 0; a < 3; ++a) {
    const Pack x0 = link(link.block.R[3 * a]), x1 = link(link.block.R[3 * a + 1]);
    axis[a] = link(link.block.R[3 * a + 2]);
    local.R.a[3 * a] = x0 * c + x1 * s;
    local.R.a[3 * a + 1] = x1 * c - x0 * s;
    local.R.a[3 * a + 2] = axis[a];
  }
  const V3<Pack> p = link(link.block.p);
  local.p = {p.x + axis[0] * d, p.y + axis[1] * d, p.z + axis[2] * d};
}
CIVITA_INLINE void CalcLocals(const PlanView& plan, const Memory& memory, const double* q) {
  for (int b = 0; b < NumPacks(plan); ++b) CalcLocal(plan, memory, q, b);
}

/// R x of a frame's orientation, x three broadcast numbers.
CIVITA_INLINE Quad Turn(const Frame<Carried::kPose>& f, double x, double y, double z) {
  return f.c0 * x + f.c1 * y + f.c2 * z;
}

CIVITA_INLINE ColumnMotion Cross(const ColumnMotion& x, const ColumnMotion& y) {
  const Quad xw = Rotate3(x.w), xu = Rotate3(x.u), yw = Rotate3(y.w), yu = Rotate3(y.u);
  return {Rotate3(x.w * yw - xw * y.w), Rotate3(x.w * yu - xw * y.u + (x.u * yw - xu * y.w))};
}

/// What a joint adds to what is carried; motion(rates) is what it makes of its share of v, v_r or
/// v̇_r. Its columns are carried by the velocity that it ends up with.
template <Carried kCarried, typename JointMotion>
CIVITA_INLINE void AddJointMotion(JointMotion motion, const Inputs& in, Frame<kCarried>* f) {
  const ColumnMotion v = motion(in.v);
  f->v = f->v + v;
  if constexpr (kCarried == Carried::kAcceleration) {
    f->a = f->a + Cross(f->v, v) + motion(in.vdot_r);
  } else if constexpr (kCarried >= Carried::kReference) {
    const ColumnMotion v_r = motion(in.v_r);
    f->a = f->a + Cross(f->v, v_r) + motion(in.vdot_r);
    f->vr = f->vr + v_r;
  }
  if constexpr (kCarried == Carried::kPower) f->s = f->s + motion(in.s);
}

/// The three rotations of a ball or free joint: each slot has its column of the orientation as axis
/// and all of the joint's motion.
template <Carried kCarried>
CIVITA_INLINE void ComposeRotations(const double* quaternion, const Inputs& in, int slot,
                                    Frame<kCarried>* f, Frame<kCarried>* frames) {
  const M3<double> R = internal::QuaternionRotation(quaternion);
  Quad c[3];
  for (int k = 0; k < 3; ++k) c[k] = Turn(*f, R(0, k), R(1, k), R(2, k));
  f->c0 = c[0];
  f->c1 = c[1];
  f->c2 = c[2];
  const auto motion = [&](const double* rates) {
    const Quad w = Turn(*f, rates[slot], rates[slot + 1], rates[slot + 2]);
    return ColumnMotion{w, Cross3(f->r, w)};
  };
  if constexpr (kCarried >= Carried::kVelocity) AddJointMotion(motion, in, f);
  for (int k = 0; k < 3; ++k) {
    frames[slot + k] = *f;
    frames[slot + k].c2 = c[k];
  }
}

/// What the three translations of a free joint add, along the world's axes and carried by the
/// world.
template <Carried kCarried>
CIVITA_INLINE void AddTranslations(const Inputs& in, int slot, Frame<kCarried>* f) {
  const auto column = [slot](const double* x) {
    return Quad{x[slot], x[slot + 1], x[slot + 2], 0};
  };
  if constexpr (kCarried >= Carried::kVelocity) f->v.u = column(in.v);
  if constexpr (kCarried >= Carried::kAcceleration) f->a.u += column(in.vdot_r);
  if constexpr (kCarried >= Carried::kReference) f->vr.u = column(in.v_r);
  if constexpr (kCarried == Carried::kPower) f->s.u = column(in.s);
}

/// The motion of a joint of one degree of freedom.
template <Carried kCarried>
CIVITA_INLINE void ComposeOneDof(const LinkBlock& link, const Inputs& in, int slot,
                                 Frame<kCarried>* f) {
  const unsigned lane = static_cast<unsigned>(slot) % kLanes;
  const double angle = link.angle[lane], travel = link.travel[lane];
  const ColumnMotion Phi = {f->c2 * angle, Cross3(f->r, f->c2) * angle + f->c2 * travel};
  const auto motion = [&](const double* rates) {
    return ColumnMotion{Phi.w * rates[slot], Phi.u * rates[slot]};
  };
  AddJointMotion(motion, in, f);
}

/// Slots whose frames are wanted, with all that move them: the next one from `slot` on.
struct AllSlots {
  CIVITA_INLINE int operator()(int slot) const { return slot; }
};

/// Frames of slots, from the roots outwards: the only part of the work that is a chain.
template <Carried kCarried, typename Wanted = AllSlots>
CIVITA_INLINE void ComposeFrames(const PlanView& plan, const Memory& memory, const Inputs& in,
                                 Wanted wanted = {}) {
  Frame<kCarried>* frames = memory.FramesOf<kCarried>();
  Frame<kCarried> world;
  world.c0 = Quad{1, 0, 0, 0};
  world.c1 = Quad{0, 1, 0, 0};
  world.c2 = Quad{0, 0, 1, 0};
  world.r = Quad{};
  if constexpr (kCarried >= Carried::kVelocity) world.v = {Quad{}, Quad{}};
  if constexpr (kCarried >= Carried::kAcceleration) {
    world.a = {Quad{}, -Quad{plan.gravity[0], plan.gravity[1], plan.gravity[2], 0}};
  }
  if constexpr (kCarried >= Carried::kReference) world.vr = {Quad{}, Quad{}};
  if constexpr (kCarried == Carried::kPower) world.s = {Quad{}, Quad{}};
  Frame<kCarried> f = world;
  for (int i = wanted(0), last = -1; i < plan.n; last = i, i = wanted(i + 1)) {
    const int parent = plan.parent[i];
    if (parent != last) f = parent < 0 ? world : frames[parent];
    const SlotKind kind = plan.kind[i];
    if (__builtin_expect(kind == SlotKind::kFree || kind == SlotKind::kBaseRotations, 0)) {
      if (kind == SlotKind::kFree) {
        for (int k = 0; k < 3; ++k, ++i) {
          frames[i] = world;
          frames[i].c2 = Quad{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0, 0};
        }
      }
      AddTranslations(in, i - 3, &f);
      ComposeRotations(in.q + plan.iq[i] + 3, in, i, &f, frames);
      i += 2;
      continue;
    }
    const Local& local = PackOf(memory.locals, i);
    // Numbers of one lane are kWidth apart.
    const double *R = &AtLane(local.R.a[0], LaneOf(i)), *p = &AtLane(local.p.x, LaneOf(i));
    if (parent >= 0) f.r += Turn(f, p[0], p[kWidth], p[2 * kWidth]);
    const auto column = [&](int c) {
      return Turn(f, R[c * kWidth], R[(3 + c) * kWidth], R[(6 + c) * kWidth]);
    };
    const Quad c0 = column(0), c1 = column(1), c2 = column(2);
    f.c0 = c0;
    f.c1 = c1;
    f.c2 = c2;
    if (__builtin_expect(kind == SlotKind::kBall, 0)) {
      ComposeRotations(in.q + plan.iq[i], in, i, &f, frames);
      i += 2;
      continue;
    }
    if constexpr (kCarried >= Carried::kVelocity) {
      ComposeOneDof(plan.links[static_cast<unsigned>(i) / kLanes], in, i, &f);
    }
    frames[i] = f;
  }
}

/// The reference point, in the world, of the tree whose first slot from 0 on is `root`.
CIVITA_INLINE V3<double> TreeOrigin(const PlanView& plan, const Memory& memory, const double* q,
                                    int root) {
  const SlotKind kind = plan.kind[root];
  if (kind == SlotKind::kFree || kind == SlotKind::kBaseRotations) {
    const double* p = q + plan.iq[root];
    return {p[0], p[1], p[2]};
  }
  return AtLane(PackOf(memory.locals, root).p, LaneOf(root));
}

/// What frames carry, of a pack of slots.
template <Carried kCarried>
struct CarriedPack {
  static constexpr int kNumbers = sizeof(Frame<kCarried>) / sizeof(double);
  Pack x[kNumbers];  ///< of the frame; every fourth is none

  CIVITA_INLINE CarriedPack(const Memory& memory, int pack) {
    const double* frames = memory.frames + pack * kWidth * kNumbers;
    FromRows<kNumbers>(frames, kNumbers, x);
  }
  CIVITA_INLINE M3<Pack> R() const {
    return {{x[0], x[4], x[8], x[1], x[5], x[9], x[2], x[6], x[10]}};
  }
  CIVITA_INLINE V3<Pack> r() const { return Vector(kFrameR); }
  CIVITA_INLINE Motion<Pack> v() const { return ToMotion(kFrameV); }
  CIVITA_INLINE Motion<Pack> a() const { return ToMotion(kFrameA); }
  CIVITA_INLINE Motion<Pack> vr() const { return ToMotion(kFrameVr); }
  CIVITA_INLINE Motion<Pack> s() const { return ToMotion(kFrameS); }

 private:
  CIVITA_INLINE V3<Pack> Vector(int first) const { return {x[first], x[first + 1], x[first + 2]}; }
  CIVITA_INLINE Motion<Pack> ToMotion(int first) const {
    return {Vector(first), Vector(first + 4)};
  }
};

/// Φ = [turn·z; turn·r×z + shift·z].
CIVITA_INLINE Motion<Pack> CalcPhi(const LinkPack& link, const M3<Pack>& R, const V3<Pack>& r) {
  const Pack turn = link(link.block.turn), shift = link(link.block.shift);
  const V3<Pack> z = {R.a[2], R.a[5], R.a[8]};
  return {turn * z, turn * Cross(r, z) + shift * z};
}

CIVITA_INLINE Inertia<Pack> CalcWorldInertia(const LinkPack& link, const M3<Pack>& R,
                                             const V3<Pack>& r) {
  return WorldInertia(R, r, link(link.block.m), link(link.block.com), link(link.block.I));
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
