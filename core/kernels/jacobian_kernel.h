#pragma once

#include "core/kernels/composites.h"

// Jacobians of frames and their rates by the formulas of core/dynamics/frame_motion.cc, column by
// column: of a tree, only the paths to the frames are computed.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// The slots on the paths to some frames, in their order.
class PathsTo {
 public:
  CIVITA_INLINE PathsTo(const PlanView& plan, const FrameQuery* queries, int count)
      : relations_(plan), queries_(queries), count_(count), packs_(NumPacks(plan)) {}

  /// Of a pack, bit by bit.
  CIVITA_INLINE unsigned OfPack(int b) const {
    unsigned slots = 0;
    for (int i = 0; i < count_; ++i) slots |= relations_.Before(b, queries_[i].slot);
    return slots;
  }
  /// The next one from `slot` on; beyond all of them where there is none.
  CIVITA_INLINE int operator()(int slot) {
    for (;;) {
      for (; ahead_ == 0; ahead_ = OfPack(pack_)) {
        if (++pack_ == packs_) return kWidth * packs_;
      }
      const int next = kWidth * pack_ + __builtin_ctz(ahead_);
      ahead_ &= ahead_ - 1;
      if (next >= slot) return next;
    }
  }

 private:
  Relations relations_;
  const FrameQuery* queries_;
  int count_, packs_, pack_ = -1;
  unsigned ahead_ = 0;  ///< those of the pack that are still to come
};

/// Locals and frames of these.
template <Carried kCarried>
CIVITA_INLINE void ComposePaths(const PlanView& plan, const Memory& memory, const Inputs& in,
                                const FrameQuery* queries, int count) {
  const PathsTo paths(plan, queries, count);
  for (int b = 0; b < NumPacks(plan); ++b) {
    if (paths.OfPack(b) != 0) CalcLocal(plan, memory, in.q, b);
  }
  ComposeFrames<kCarried>(plan, memory, in, paths);
}

/// x of a query in the axes that it wants.
struct WantedAxes {
  Quad rows[4];  ///< of the frame's orientation
  bool turned;

  CIVITA_INLINE Quad operator()(const Quad& x) const {
    return turned ? rows[0] * x[0] + rows[1] * x[1] + rows[2] * x[2] : x;
  }
};

/// [w; u] of three numbers each, or nothing where there is no matrix.
CIVITA_INLINE void PutColumn(const MatrixView& M, int column, const Quad& w, const Quad& u) {
  if (M.data == nullptr) return;
  double* to = M.data + column * M.stride;
  StoreSome(to, w, 4);  // the fourth number is u's first
  StoreSome(to + 3, u, 3);
}
CIVITA_INLINE void PutZeros(const PlanView& plan, const MatrixView& M) {
  if (M.data == nullptr) return;
  const bool whole = M.stride == 6;
  const int columns = whole ? 1 : plan.nv, rows = whole ? 6 * plan.nv : 6;
  for (int k = 0; k < columns; ++k) {
    for (int i = 0; i < rows; i += kWidth) StoreSome(M.data + k * M.stride + i, Pack{}, rows - i);
  }
}

/// Where the motion of a query's frame is taken: the point from the tree's reference point and its
/// velocity, and the axes and their angular velocity.
template <Carried kCarried>
struct Place {
  Quad p, pdot = {}, turning = {};
  WantedAxes axes;

  CIVITA_INLINE Place(const PlanView& plan, const Memory& memory, const double* q,
                      const FrameQuery& query)
      : axes{{}, query.turned} {
    const Frame<kCarried>& f = memory.FramesOf<kCarried>()[query.slot];
    p = f.r + Turn(f, query.point[0], query.point[1], query.point[2]);
    if constexpr (kCarried >= Carried::kVelocity) pdot = f.v.u + Cross3(f.v.w, p);
    if (query.at_origin) {
      int root = query.slot;
      while (plan.parent[root] >= 0) root = plan.parent[root];
      const V3<double> origin = TreeOrigin(plan, memory, q, root);
      p = -Quad{origin.x, origin.y, origin.z, 0};
      pdot = Quad{};
    }
    if (!query.turned) return;
    const double* R = query.axes;
    for (int c = 0; c < 3; ++c) axes.rows[c] = Turn(f, R[c], R[3 + c], R[6 + c]);
    Transpose(axes.rows);
    if constexpr (kCarried >= Carried::kVelocity) turning = f.v.w;
  }
};

/// J̇ where the frames have velocities, and J.
template <Carried kCarried>
CIVITA_INLINE void PutJacobians(const PlanView& plan, const Memory& memory, const double* q,
                                const FrameQuery& query) {
  constexpr bool kWithRate = kCarried >= Carried::kVelocity;
  const Frame<kCarried>* const frames = memory.FramesOf<kCarried>();
  const int *const parent = plan.parent, *const iv = plan.iv, base = plan.base;
  const LinkBlock* const links = plan.links;
  const MatrixView J = query.J, Jdot = query.Jdot;
  if (plan.depth[query.slot] < plan.n) {
    PutZeros(plan, J);
    if (kWithRate) PutZeros(plan, Jdot);
  }
  const Place<kCarried> at(plan, memory, q, query);
  const WantedAxes& axes = at.axes;
  int k = query.slot;
  for (; k >= 0; k = parent[k]) {
    const LinkBlock& link = links[static_cast<unsigned>(k) / kLanes];
    const double turn = link.turn[static_cast<unsigned>(k) % kLanes];
    const double shift = link.shift[static_cast<unsigned>(k) % kLanes];
    const Quad w = frames[k].c2 * turn, arm = at.p - frames[k].r;
    const Quad u = Cross3(w, arm) + frames[k].c2 * shift;
    PutColumn(J, iv[k], axes(w), axes(u));
    if constexpr (kWithRate) {
      const ColumnMotion v = frames[k].v;
      const Quad zdot = Cross3(v.w, frames[k].c2), wdot = zdot * turn;
      const Quad away = at.pdot - v.u - Cross3(v.w, frames[k].r);
      const Quad udot = Cross3(wdot, arm) + Cross3(w, away) + zdot * shift;
      PutColumn(Jdot, iv[k], axes(wdot - Cross3(at.turning, w)),
                axes(udot - Cross3(at.turning, u)));
    }
  }
  if (base == 0 || k != -1) return;
  for (k = -3; k < 0; ++k) {
    const Quad u = {k == -3 ? 1.0 : 0.0, k == -2 ? 1.0 : 0.0, k == -1 ? 1.0 : 0.0, 0};
    PutColumn(J, iv[k], Quad{}, axes(u));
    if (kWithRate) PutColumn(Jdot, iv[k], Quad{}, axes(-Cross3(at.turning, u)));
  }
}

inline void CalcFrameJacobians(const PlanView& plan, double* scratch, const double* q,
                               const double* v, const FrameQuery* queries, int count) {
  const Memory memory(plan, scratch);
  const Inputs in = {q, v, nullptr, nullptr};
  if (v == nullptr) {
    ComposePaths<Carried::kPose>(plan, memory, in, queries, count);
    for (int i = 0; i < count; ++i) PutJacobians<Carried::kPose>(plan, memory, q, queries[i]);
  } else {
    ComposePaths<Carried::kVelocity>(plan, memory, in, queries, count);
    for (int i = 0; i < count; ++i) PutJacobians<Carried::kVelocity>(plan, memory, q, queries[i]);
  }
}

/// x about the place and in its axes.
template <Carried kCarried>
CIVITA_INLINE Motion<double> MotionAt(const Place<kCarried>& at, const ColumnMotion& x) {
  return ToMotion({at.axes(x.w), at.axes(x.u + Cross3(x.w, at.p))});
}

inline void CalcFrameMotion(const PlanView& plan, double* scratch, const double* q, const double* v,
                            const double* vdot, const FrameQuery& query, Motion<double>* velocity,
                            Motion<double>* acceleration) {
  const Memory memory(plan, scratch);
  if (acceleration == nullptr) {
    constexpr Carried kCarried = Carried::kVelocity;
    ComposePaths<kCarried>(plan, memory, {q, v, nullptr, nullptr}, &query, 1);
    const Place<kCarried> at(plan, memory, q, query);
    *velocity = MotionAt(at, memory.FramesOf<kCarried>()[query.slot].v);
  } else {
    constexpr Carried kCarried = Carried::kAcceleration;
    ComposePaths<kCarried>(plan, memory, {q, v, v, vdot}, &query, 1);
    const Place<kCarried> at(plan, memory, q, query);
    *velocity = MotionAt(at, memory.FramesOf<kCarried>()[query.slot].v);
    *acceleration = MotionAt(at, memory.FramesOf<kCarried>()[query.slot].a);
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
