#pragma once

#include "core/kernels/kernels.h"
#include "core/kernels/pack.h"
#include "core/kernels/sin_cos.h"
#include "core/kernels/spatial.h"

// The kernels, compiled once an instruction set. They do what the plain algorithms of core do
// (coriolis.cc, christoffel.cc, rnea.cc), four slots at a time: stages are separate loops over
// blocks, so that all but the chain of poses is independent work. World axes about the position of
// each tree's root body.

extern "C" double sin(double);
extern "C" double cos(double);

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// A spatial motion by columns [x y z ·].
struct ColumnMotion {
  Pack w, u;
};

CIVITA_INLINE ColumnMotion operator+(const ColumnMotion& x, const ColumnMotion& y) {
  return {x.w + y.w, x.u + y.u};
}

/// What is carried from the roots outwards; each has all of the one before it.
enum class Carried {
  kPose,
  kVelocity,      ///< ξ = J v
  kAcceleration,  ///< J v̇_r + J̇ v_r − gravity, where v_r = v
  kReference,     ///< the same for a v_r of its own, and J v_r
};

/// A slot's frame: orientation by columns [x y z ·], c2 along the slot's axis, and position.
template <Carried kCarried>
struct Frame {
  Pack c0, c1, c2, r;
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

/// The state and its rates, padded with zeros to whole blocks but for q.
struct Inputs {
  const double *q, *v, *v_r, *vdot_r;
};

/// Four slots side by side. From J to the padding it is the 24 numbers that are summed over
/// subtrees.
struct alignas(64) Block {
  M3<Pack> R;
  V3<Pack> r;
  Motion<Pack> v;
  Inertia<Pack> J;
  CoriolisFactor<Pack> B;
  Pack padding[2];
};

/// Columns Φ, Φ̇ and what C takes from each (F2 = I^C Φ), of four slots.
struct alignas(64) Columns {
  Motion<Pack> Phi, Phidot;
  Force<Pack> F1, F2;
  V3<Pack> F3;
};

/// What a joint does within its parent: rotation (row by row) and origin.
struct alignas(64) Local {
  M3<Pack> R;
  V3<Pack> p;
};

/// The 24 summed numbers of one slot.
struct Row {
  Pack a[6];
};

/// The force on a slot's subtree, columns [x y z ·].
struct ForceRow {
  Pack n, f;
};

/// Forces of four slots, to be read lane by lane: [moment xyz, force xyz][lane].
struct alignas(64) PathForce {
  Pack f[6];

  CIVITA_INLINE const double* lane(int l) const { return reinterpret_cast<const double*>(f) + l; }
};

/// How a kernel's scratch is laid out.
struct Memory {
  Block* blocks;
  Columns* columns;
  Local* locals;
  double* frames;
  Row* rows;
  Motion<Pack>* path;      ///< Φ along a path, four slots each
  PathForce* path_forces;  ///< B̃_k Φ along a path, four slots each

  static constexpr size_t kFrameBytes = sizeof(Frame<Carried::kReference>);

  CIVITA_INLINE Memory(const PlanView& plan, double* memory) {
    const size_t B = static_cast<size_t>(plan.blocks);
    blocks = reinterpret_cast<Block*>(memory);
    columns = reinterpret_cast<Columns*>(blocks + B);
    locals = reinterpret_cast<Local*>(columns + B);
    rows = reinterpret_cast<Row*>(locals + B);
    path = reinterpret_cast<Motion<Pack>*>(rows + kLanes * B);
    path_forces = reinterpret_cast<PathForce*>(path + B);
    frames = reinterpret_cast<double*>(path_forces + B);
  }
  static size_t Numbers(const PlanView& plan) {
    const size_t bytes = sizeof(Block) + sizeof(Columns) + sizeof(Local) + sizeof(Motion<Pack>) +
                         sizeof(PathForce) + kLanes * (sizeof(Row) + kFrameBytes);
    return static_cast<size_t>(plan.blocks) * bytes / sizeof(double);
  }

  template <Carried kCarried>
  CIVITA_INLINE Frame<kCarried>* FramesOf() const {
    return reinterpret_cast<Frame<kCarried>*>(frames);
  }
  CIVITA_INLINE ForceRow* Forces() const { return reinterpret_cast<ForceRow*>(rows); }
};

CIVITA_INLINE double* Lane(Pack& x, int lane) { return reinterpret_cast<double*>(&x) + lane; }

/// SinCos, by the C library where an angle is beyond its range or not finite.
CIVITA_INLINE void SinCosOfAny(Pack x, Pack* s, Pack* c) {
  SinCos(x, s, c);
  const PackMask within = (x <= kSinCosRange) & (x >= -kSinCosRange);
  if (__builtin_expect((within[0] & within[1] & within[2] & within[3]) == 0, 0)) {
    for (int l = 0; l < kLanes; ++l) {
      *Lane(*s, l) = ::sin(*Lane(x, l));
      *Lane(*c, l) = ::cos(*Lane(x, l));
    }
  }
}

/// What every joint does: rotation and displacement.
CIVITA_INLINE void CalcLocals(const PlanView& plan, const Memory& memory, const double* q) {
  for (int b = 0; b < plan.blocks; ++b) {
    const LinkBlock& link = plan.links[b];
    const int* iq = plan.iq + kLanes * b;
    const Pack x =
        Pack{q[iq[0]], q[iq[1]], q[iq[2]], q[iq[3]]} - LoadUnaligned(plan.reference + kLanes * b);
    Pack s, c;
    SinCosOfAny(x * Load(link.angle), &s, &c);
    Local& local = memory.locals[b];
    const Pack d = x * Load(link.travel);
    Pack axis[3];
    for (int a = 0; a < 3; ++a) {
      const Pack x0 = Load(link.R[3 * a]), x1 = Load(link.R[3 * a + 1]);
      axis[a] = Load(link.R[3 * a + 2]);
      local.R.a[3 * a] = x0 * c + x1 * s;
      local.R.a[3 * a + 1] = x1 * c - x0 * s;
      local.R.a[3 * a + 2] = axis[a];
    }
    local.p = {Load(link.p[0]) + axis[0] * d, Load(link.p[1]) + axis[1] * d,
               Load(link.p[2]) + axis[2] * d};
  }
}

/// Columns of the rotation of a quaternion [w x y z], normalized here; zero is the identity.
CIVITA_INLINE void QuaternionColumns(const double* q, Pack* c0, Pack* c1, Pack* c2) {
  const double norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const double s = norm2 > 0 ? 2 / norm2 : 0;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  *c0 = Pack{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y), 0};
  *c1 = Pack{s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x), 0};
  *c2 = Pack{s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y), 0};
}

/// R x of a frame's orientation, x three broadcast numbers.
CIVITA_INLINE Pack Turn(const Frame<Carried::kPose>& f, double x, double y, double z) {
  return f.c0 * x + f.c1 * y + f.c2 * z;
}

CIVITA_INLINE ColumnMotion Cross(const ColumnMotion& x, const ColumnMotion& y) {
  const Pack xw = Rotate3(x.w), xu = Rotate3(x.u), yw = Rotate3(y.w), yu = Rotate3(y.u);
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
  } else if constexpr (kCarried == Carried::kReference) {
    const ColumnMotion v_r = motion(in.v_r);
    f->a = f->a + Cross(f->v, v_r) + motion(in.vdot_r);
    f->vr = f->vr + v_r;
  }
}

/// The three rotations of a ball or free joint: each slot has its column of the orientation as axis
/// and all of the joint's motion.
template <Carried kCarried>
CIVITA_INLINE void ComposeRotations(const double* quaternion, const Inputs& in, int slot,
                                    Frame<kCarried>* f, Frame<kCarried>* frames) {
  Pack q[3], c[3];
  QuaternionColumns(quaternion, &q[0], &q[1], &q[2]);
  for (int k = 0; k < 3; ++k) c[k] = Turn(*f, q[k][0], q[k][1], q[k][2]);
  f->c0 = c[0];
  f->c1 = c[1];
  f->c2 = c[2];
  const auto motion = [&](const double* rates) {
    const Pack w = Turn(*f, rates[slot], rates[slot + 1], rates[slot + 2]);
    return ColumnMotion{w, Cross3(f->r, w)};
  };
  if constexpr (kCarried >= Carried::kVelocity) AddJointMotion(motion, in, f);
  for (int k = 0; k < 3; ++k) {
    frames[slot + k] = *f;
    frames[slot + k].c2 = c[k];
  }
}

/// The three translations of a free joint, along the world's axes and carried by the world.
template <Carried kCarried>
CIVITA_INLINE void ComposeTranslations(const Inputs& in, int slot, const Frame<kCarried>& world,
                                       Frame<kCarried>* f, Frame<kCarried>* frames) {
  for (int k = 0; k < 3; ++k) {
    frames[slot + k] = world;
    frames[slot + k].c2 = Pack{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0, 0};
  }
  const auto column = [slot](const double* x) {
    return Pack{x[slot], x[slot + 1], x[slot + 2], 0};
  };
  if constexpr (kCarried >= Carried::kVelocity) f->v.u = column(in.v);
  if constexpr (kCarried >= Carried::kAcceleration) f->a.u += column(in.vdot_r);
  if constexpr (kCarried == Carried::kReference) f->vr.u = column(in.v_r);
}

/// The motion of a joint of one degree of freedom.
template <Carried kCarried>
CIVITA_INLINE void ComposeOneDof(const LinkBlock& link, const Inputs& in, int slot,
                                 Frame<kCarried>* f) {
  const double angle = link.angle[slot % kLanes], travel = link.travel[slot % kLanes];
  const ColumnMotion Phi = {f->c2 * angle, Cross3(f->r, f->c2) * angle + f->c2 * travel};
  const auto motion = [&](const double* rates) {
    return ColumnMotion{Phi.w * rates[slot], Phi.u * rates[slot]};
  };
  AddJointMotion(motion, in, f);
}

/// Frames of all slots, from the roots outwards: the only part of the work that is a chain.
template <Carried kCarried>
CIVITA_INLINE void ComposeFrames(const PlanView& plan, const Memory& memory, const Inputs& in) {
  Frame<kCarried>* frames = memory.FramesOf<kCarried>();
  Frame<kCarried> world{};
  world.c0 = Pack{1, 0, 0, 0};
  world.c1 = Pack{0, 1, 0, 0};
  world.c2 = Pack{0, 0, 1, 0};
  if constexpr (kCarried >= Carried::kAcceleration) {
    world.a.u = -Pack{plan.gravity[0], plan.gravity[1], plan.gravity[2], 0};
  }
  Frame<kCarried> f = world;
  for (int i = 0; i < plan.n; ++i) {
    const int parent = plan.parent[i];
    if (parent != i - 1) f = parent < 0 ? world : frames[parent];
    const SlotKind kind = plan.kind[i];
    if (__builtin_expect(kind == SlotKind::kFree, 0)) {
      ComposeTranslations(in, i, world, &f, frames);
      ComposeRotations(in.q + plan.iq[i] + 3, in, i + 3, &f, frames);
      i += 5;
      continue;
    }
    const double* R = reinterpret_cast<const double*>(&memory.locals[i / kLanes].R) + i % kLanes;
    const double* p = reinterpret_cast<const double*>(&memory.locals[i / kLanes].p) + i % kLanes;
    if (parent >= 0) f.r += Turn(f, p[0], p[kLanes], p[2 * kLanes]);
    const auto column = [&](int c) {
      return Turn(f, R[c * kLanes], R[(3 + c) * kLanes], R[(6 + c) * kLanes]);
    };
    const Pack c0 = column(0), c1 = column(1), c2 = column(2);
    f.c0 = c0;
    f.c1 = c1;
    f.c2 = c2;
    if (__builtin_expect(kind == SlotKind::kBall, 0)) {
      ComposeRotations(in.q + plan.iq[i], in, i, &f, frames);
      i += 2;
      continue;
    }
    if constexpr (kCarried >= Carried::kVelocity) ComposeOneDof(plan.links[i / kLanes], in, i, &f);
    frames[i] = f;
  }
}

/// Four columns [x y z ·] side by side.
CIVITA_INLINE V3<Pack> Gather(const Pack& c0, const Pack& c1, const Pack& c2, const Pack& c3) {
  Pack x = c0, y = c1, z = c2, rest = c3;
  Transpose(x, y, z, rest);
  return {x, y, z};
}

CIVITA_INLINE Motion<Pack> Gather(const ColumnMotion& m0, const ColumnMotion& m1,
                                  const ColumnMotion& m2, const ColumnMotion& m3) {
  return {Gather(m0.w, m1.w, m2.w, m3.w), Gather(m0.u, m1.u, m2.u, m3.u)};
}

template <Carried kCarried>
CIVITA_INLINE void GatherPose(const Frame<kCarried>* f, Block* block) {
  const V3<Pack> c0 = Gather(f[0].c0, f[1].c0, f[2].c0, f[3].c0);
  const V3<Pack> c1 = Gather(f[0].c1, f[1].c1, f[2].c1, f[3].c1);
  const V3<Pack> c2 = Gather(f[0].c2, f[1].c2, f[2].c2, f[3].c2);
  block->R = {{c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z}};
  block->r = Gather(f[0].r, f[1].r, f[2].r, f[3].r);
}

CIVITA_INLINE V3<Pack> LoadV3(const double (*p)[kLanes]) {
  return {Load(p[0]), Load(p[1]), Load(p[2])};
}

/// Φ = [turn·z; turn·r×z + shift·z].
CIVITA_INLINE Motion<Pack> CalcPhi(const LinkBlock& link, const Block& block) {
  const Pack turn = Load(link.turn), shift = Load(link.shift);
  const V3<Pack> z = {block.R.a[2], block.R.a[5], block.R.a[8]};
  return {turn * z, turn * Cross(block.r, z) + shift * z};
}

CIVITA_INLINE Inertia<Pack> CalcWorldInertia(const LinkBlock& link, const Block& block) {
  return WorldInertia(block.R, block.r, Load(link.m), LoadV3(link.com),
                      S3<Pack>{Load(link.I[0]), Load(link.I[1]), Load(link.I[2]), Load(link.I[3]),
                               Load(link.I[4]), Load(link.I[5])});
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
