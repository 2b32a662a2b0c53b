#pragma once

#include "core/kernels/composites.h"
#include "core/kernels/rnea_kernel.h"

// The Slotine–Li regressor Y of frames' inertial parameters π = [m h Ī_xx Ī_yy Ī_zz Ī_xy Ī_xz Ī_yz]
// and its products, by the formulas of core/dynamics/regressor.cc: the lanes of a pack are slots
// with the frame that each carries; frames that share a slot come after the first one, alone.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

constexpr int kParameters = 10;
constexpr int kMomentParameters = kParameters + 2, kForceParameters = 4;  ///< in whole quads

template <typename T>
CIVITA_INLINE const T* OfFrame(const FramesView& frames, const T* first, int f) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) + f * frames.stride);
}
CIVITA_INLINE int BodyOf(const FramesView& frames, int f) {
  return *OfFrame(frames, frames.body, f);
}

/// The frames of a call, by slot.
class FramesBySlot {
 public:
  CIVITA_INLINE FramesBySlot(const PlanView& plan, const Memory& memory, const FramesView& frames)
      : plan_(plan), memory_(memory), frames_(frames) {
    int* const frame_of = memory.frame_of;
    for (int i = 0; i < kLanes * plan.blocks; ++i) frame_of[i] = -1;
    for (int f = frames.count - 1; f >= 0; --f) {
      const int body = BodyOf(frames, f);
      if (body < 0) continue;
      int& of_slot = frame_of[plan.last_slot[body]];
      shared_ = shared_ || of_slot >= 0;
      of_slot = f;
    }
  }

  /// each(pack, frames of its lanes, −1 for none, whether these come after the first ones).
  template <typename Each>
  CIVITA_INLINE void ForEachPack(const Each& each) const {
    for (int b = 0; b < NumPacks(plan_); ++b) each(b, memory_.frame_of + kWidth * b, false);
    for (int f = 0; shared_ && f < frames_.count; ++f) {
      const int body = BodyOf(frames_, f), slot = body < 0 ? -1 : plan_.last_slot[body];
      if (slot < 0 || memory_.frame_of[slot] == f) continue;
      int alone[kWidth];
      for (int& frame : alone) frame = -1;
      alone[LaneOf(slot)] = f;
      each(static_cast<int>(static_cast<unsigned>(slot) / kWidth), alone, true);
    }
  }

 private:
  const PlanView& plan_;
  const Memory& memory_;
  const FramesView& frames_;
  bool shared_ = false;  ///< whether frames share a slot
};

/// Where packs begin that have all of a body's ten numbers.
constexpr int kParts = kWidth == 4 ? 3 : 2;
CIVITA_INLINE int Part(int part) {
  return part < kParts - 1 ? part * kWidth : kParameters - kWidth;
}

/// The numbers of the frames of a pack, from where each frame's ten begin; zeros where there is no
/// frame.
CIVITA_INLINE void LoadParameters(const double* x, const int* of, Pack (&numbers)[kParameters]) {
  static constexpr double kNone[kParameters] = {};
  for (int part = 0; part < kParts; ++part) {
    Pack rows[kWidth];
    for (int l = 0; l < kWidth; ++l) {
      rows[l] = LoadUnaligned((of[l] < 0 ? kNone : x + kParameters * of[l]) + Part(part));
    }
    Transpose(rows);
    for (int c = 0; c < kWidth; ++c) numbers[Part(part) + c] = rows[c];
  }
}
CIVITA_INLINE void StoreParameters(const Pack (&numbers)[kParameters], const int* of, double* x) {
  for (int part = 0; part < kParts; ++part) {
    Pack rows[kWidth];
    for (int c = 0; c < kWidth; ++c) rows[c] = numbers[Part(part) + c];
    Transpose(rows);
    for (int l = 0; l < kWidth; ++l) {
      if (of[l] >= 0) StoreUnaligned(x + kParameters * of[l] + Part(part), rows[l]);
    }
  }
}

/// The axes R_WF of frames and their origins from the reference point; of lanes without a frame
/// what their zeros make.
struct FramePack {
  M3<Pack> R;
  V3<Pack> p;

  template <Carried kCarried>
  CIVITA_INLINE FramePack(const LinkPack& link, const CarriedPack<kCarried>& body,
                          const FramesView& frames, const int* of) {
    static constexpr double kNone[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double* pose[kWidth];
    const Quad one = {1, 0, 0, 0};  // all three quads of an identity
    Quad apart[3] = {};
    for (int l = 0; l < kWidth; ++l) {
      pose[l] = of[l] < 0 ? kNone : OfFrame(frames, frames.pose, of[l]);
      for (int a = 0; a < 12; a += 4) {
        const Quad d = *reinterpret_cast<const UnalignedQuad*>(pose[l] + a) - one;
        apart[a / 4] += d * d;
      }
    }
    M3<Pack> R_ZB;
    for (int a = 0; a < 9; ++a) R_ZB.a[a] = link(link.block.axes[a]);
    R = body.R() * R_ZB;
    p = body.r();
    const Quad all = apart[0] + apart[1] + apart[2];
    if (all[0] + all[1] + all[2] + all[3] == 0) return;
    M3<Pack> R_BF;
    V3<Pack> p_BF;
    for (int l = 0; l < kWidth; ++l) {
      for (int a = 0; a < 9; ++a) R_BF.a[a][l] = pose[l][a % 3 * 3 + a / 3];
      p_BF.x[l] = pose[l][9];
      p_BF.y[l] = pose[l][10];
      p_BF.z[l] = pose[l][11];
    }
    p = p + R * p_BF;
    R = R * R_BF;
  }
};

/// What wrenches of frames' parameters are made of: motions about the frames' origins, in world
/// axes: with d = a + ω_r×u and s = ω×ω_r, e of the mass and α' = α + t s of the first moment
/// besides; and in the frames' axes.
struct ParameterMotion {
  V3<Pack> w, wr, u, ur, d, e, alpha;
  V3<Pack> w_F, wr_F, s_F, alpha_F;  ///< the last less s
  Pack t, trace;                     ///< ½(1 + t)
  bool has_torsion;

  template <Carried kCarried>
  CIVITA_INLINE ParameterMotion(const CarriedPack<kCarried>& x, const FramePack& at, double of_t) {
    const Motion<Pack> V = x.v(), Vr = x.vr(), A = x.a();
    t = Broadcast(of_t);
    trace = Broadcast(0.5 + 0.5 * of_t);
    w = V.w;
    wr = Vr.w;
    u = PointVelocity(V, at.p);
    ur = PointVelocity(Vr, at.p);
    d = PointVelocity(A, at.p) + Cross(wr, u);
    e = d;
    alpha = A.w;
    has_torsion = of_t != 0;
    if (has_torsion) {
      e = e + t * (Cross(u, wr) + Cross(w, ur));
      alpha = alpha + t * Cross(w, wr);
    }
    w_F = TransposeTimes(at.R, w);
    wr_F = TransposeTimes(at.R, wr);
    s_F = Cross(w_F, wr_F);
    alpha_F = TransposeTimes(at.R, A.w) - s_F;
  }

  /// Force of a first moment, and its moment about the frame's origin.
  CIVITA_INLINE Force<Pack> OfMoment(const V3<Pack>& h) const {
    Force<Pack> F = {Cross(h, d), Cross(alpha, h) + Cross(wr, Cross(w, h))};
    if (has_torsion) F.n += t * (Cross(Cross(h, u), wr) + Cross(w, Cross(h, ur)));
    return F;
  }
  CIVITA_INLINE V3<Pack> MomentOfMass() const { return t * Cross(u, ur); }
};

CIVITA_INLINE Force<Pack> AboutReference(const Force<Pack>& F, const V3<Pack>& p) {
  return {F.n + Cross(p, F.f), F.f};
}

/// The wrench of parameters x.
CIVITA_INLINE Force<Pack> CalcWrench(const ParameterMotion& y, const FramePack& at,
                                     const Pack (&x)[kParameters]) {
  const S3<Pack> I = {x[4], x[7], x[8], x[5], x[9], x[6]};
  const V3<Pack> n_F = I * y.alpha_F + Cross(y.wr_F, I * y.w_F) + (y.trace * Trace(I)) * y.s_F;
  Force<Pack> F = y.OfMoment(at.R * V3<Pack>{x[1], x[2], x[3]});
  F.f += x[0] * y.e;
  F.n += at.R * n_F;
  if (y.has_torsion) F.n += x[0] * y.MomentOfMass();
  return AboutReference(F, at.p);
}

/// The power of each parameter's wrench along the motion S.
CIVITA_INLINE void CalcPowers(const ParameterMotion& y, const FramePack& at, const Motion<Pack>& S,
                              Pack (&b)[kParameters]) {
  const V3<Pack>& sigma = S.w;
  const V3<Pack> v = PointVelocity(S, at.p);
  b[0] = Dot(v, y.e);
  V3<Pack> h = Cross(v, y.alpha) + Cross(Cross(v, y.wr), y.w) + Cross(y.d, sigma);
  if (y.has_torsion) {
    b[0] += Dot(sigma, y.MomentOfMass());
    h += y.t * (Cross(y.u, Cross(y.wr, sigma)) + Cross(y.ur, Cross(sigma, y.w)));
  }
  const V3<Pack> h_F = TransposeTimes(at.R, h);
  b[1] = h_F.x;
  b[2] = h_F.y;
  b[3] = h_F.z;
  const V3<Pack> x = TransposeTimes(at.R, sigma), k = Cross(x, y.wr_F);
  const V3<Pack>&a = y.alpha_F, &w = y.w_F;
  const Pack by_trace = y.trace * Dot(x, y.s_F);
  b[4] = x.x * a.x + k.x * w.x + by_trace;
  b[5] = x.y * a.y + k.y * w.y + by_trace;
  b[6] = x.z * a.z + k.z * w.z + by_trace;
  b[7] = x.x * a.y + x.y * a.x + (k.x * w.y + k.y * w.x);
  b[8] = x.x * a.z + x.z * a.x + (k.x * w.z + k.z * w.x);
  b[9] = x.y * a.z + x.z * a.y + (k.y * w.z + k.z * w.y);
}

/// The wrench of each parameter, row by row: of the moments twelve numbers, of the forces, which Ī
/// has none of, four.
struct alignas(64) WrenchRows {
  Pack moment[3][kMomentParameters], force[3][kForceParameters];

  static constexpr int kNumbers = 3 * (kMomentParameters + kForceParameters);
  CIVITA_INLINE Pack* numbers() { return &moment[0][0]; }
  CIVITA_INLINE void Put(int column, const V3<Pack>& n) {
    moment[0][column] = n.x;
    moment[1][column] = n.y;
    moment[2][column] = n.z;
  }
  CIVITA_INLINE void Put(int column, const Force<Pack>& F) {
    Put(column, F.n);
    force[0][column] = F.f.x;
    force[1][column] = F.f.y;
    force[2][column] = F.f.z;
  }

  CIVITA_INLINE void Set(const ParameterMotion& y, const FramePack& at) {
    Put(0, AboutReference({y.MomentOfMass(), y.e}, at.p));
    V3<Pack> x[3], g[3];
    for (int k = 0; k < 3; ++k) {
      x[k] = ColumnOf(at.R, k);
      g[k] = Cross(y.wr, x[k]);
      Put(1 + k, AboutReference(y.OfMoment(x[k]), at.p));
    }
    const Pack a[3] = {y.alpha_F.x, y.alpha_F.y, y.alpha_F.z}, w[3] = {y.w_F.x, y.w_F.y, y.w_F.z};
    const V3<Pack> by_trace = y.trace * Cross(y.w, y.wr);
    for (int k = 0; k < 3; ++k) Put(4 + k, a[k] * x[k] + w[k] * g[k] + by_trace);
    for (int c = 0; c < 3; ++c) {
      const int i = c < 2 ? 0 : 1, k = c > 0 ? 2 : 1;
      Put(7 + c, a[k] * x[i] + a[i] * x[k] + (w[k] * g[i] + w[i] * g[k]));
    }
    Put(10, V3<Pack>{});
    Put(11, V3<Pack>{});
  }
};

/// Of the rows of one frame, those of a moment and of a force.
CIVITA_INLINE const double* MomentRow(const double* rows, int a) {
  return rows + a * kMomentParameters;
}
CIVITA_INLINE const double* ForceRow(const double* rows, int a) {
  return rows + 3 * kMomentParameters + a * kForceParameters;
}

/// The ten columns from y on of one or two packs of slots, which a frame's rows are multiplied by;
/// `count` numbers are left of the last pack.
template <int kPacks>
CIVITA_INLINE void PutProducts(const Columns* columns, const double* rows, const unsigned* moves,
                               int count, double* y, std::ptrdiff_t stride) {
  Motion<Pack> Phi[kPacks];
  LaneMask mask[kPacks];
  for (int p = 0; p < kPacks; ++p) {
    Phi[p] = columns[p].Phi;
    mask[p] = MaskOf(moves[p]);
  }
  const auto put = [&](int c, bool has_force) {
    Pack x[kPacks];
    const auto add = [&](const double* row, V3<Pack> Motion<Pack>::*part, Pack V3<Pack>::*along) {
      const Pack factor = Broadcast(row[c]);
      for (int p = 0; p < kPacks; ++p) x[p] += factor * (Phi[p].*part).*along;
    };
    const Pack first = Broadcast(MomentRow(rows, 0)[c]);
    for (int p = 0; p < kPacks; ++p) x[p] = first * Phi[p].w.x;
    add(MomentRow(rows, 1), &Motion<Pack>::w, &V3<Pack>::y);
    add(MomentRow(rows, 2), &Motion<Pack>::w, &V3<Pack>::z);
    if (has_force) {
      add(ForceRow(rows, 0), &Motion<Pack>::u, &V3<Pack>::x);
      add(ForceRow(rows, 1), &Motion<Pack>::u, &V3<Pack>::y);
      add(ForceRow(rows, 2), &Motion<Pack>::u, &V3<Pack>::z);
    }
    for (int p = 0; p + 1 < kPacks; ++p) StoreUnaligned(y + p * kWidth, And(x[p], mask[p]));
    StoreSome(y + (kPacks - 1) * kWidth, And(x[kPacks - 1], mask[kPacks - 1]), count);
  };
#pragma GCC unroll 4
  for (int c = 0; c < kForceParameters; ++c, y += stride) put(c, true);
#pragma GCC unroll 6
  for (int c = kForceParameters; c < kParameters; ++c, y += stride) put(c, false);
}

/// The ten columns of Y of a frame on a slot; those of a frame in the world are zero, slot < 0.
CIVITA_INLINE void PutColumns(const PlanView& plan, const Columns* columns, const double* rows,
                              int slot, MatrixView Y) {
  const Relations relations(plan);
  const int n = plan.n;
  const bool moved_by_base = plan.base > 0 && slot >= 0 && slot < plan.end[0];
  for (int c = 0; plan.base > 0 && c < kParameters; ++c) {
    double* y = Y.data + c * Y.stride - 3;
    for (int a = 0; a < 3; ++a) {
      y[a] = moved_by_base && c < kForceParameters ? ForceRow(rows, a)[c] : 0;
    }
  }
  const auto moves = [&](int I) { return slot < I * kWidth ? 0 : relations.Before(I, slot); };
  for (int I = 0; I * kWidth < n; ++I) {
    double* y = Y.data + I * kWidth;
    const int count = n - I * kWidth;
    const unsigned both[2] = {moves(I), moves(I + 1)};
    if (both[0] == 0) {
      for (int c = 0; c < kParameters; ++c, y += Y.stride) StoreSome(y, Pack{}, count);
    } else if (both[1] == 0) {
      PutProducts<1>(columns + I, rows, both, count, y, Y.stride);
    } else {
      PutProducts<2>(columns + I, rows, both, count - kWidth, y, Y.stride);
      ++I;
    }
  }
}

/// The ten rows of Yᵀ of a frame on a slot, by coordinate, where they are not zero.
CIVITA_INLINE void PutRows(const PlanView& plan, const Columns* columns, const double* rows,
                           int slot, MatrixView YT) {
  const auto quad = [](const double* x) { return *reinterpret_cast<const Quad*>(x); };
  Quad moment[3][3], force[3];
  for (int a = 0; a < 3; ++a) {
    for (int c = 0; c < 3; ++c) moment[a][c] = quad(MomentRow(rows, a) + 4 * c);
    force[a] = quad(ForceRow(rows, a));
  }
  const auto put = [&](int i, Quad(&y)[3]) {
    double* to = YT.data + plan.iv[i] * YT.stride;
    StoreSome(to, y[0], 4);
    StoreSome(to + 4, y[1], 4);
    StoreSome(to + 8, y[2], 2);
  };
  for (int i = slot; i >= 0; i = plan.parent[i]) {
    const Motion<double> Phi = AtLane(PackOf(columns, i).Phi, LaneOf(i));
    Quad y[3];
    for (int c = 0; c < 3; ++c) {
      y[c] = moment[0][c] * Phi.w.x + moment[1][c] * Phi.w.y + moment[2][c] * Phi.w.z;
    }
    y[0] = y[0] + (force[0] * Phi.u.x + force[1] * Phi.u.y + force[2] * Phi.u.z);
    put(i, y);
  }
  for (int a = 0; plan.base > 0 && slot < plan.end[0] && a < 3; ++a) {
    Quad y[3] = {force[a]};
    put(a - 3, y);
  }
}

/// Y by slot, or Yᵀ, zero before, by coordinate.
template <bool kTransposed>
inline void CalcRegressor(const PlanView& plan, double* scratch, const FramesView& frames, double t,
                          const double* q, const double* v, const double* v_r, const double* vdot_r,
                          MatrixView Y) {
  const Memory memory(plan, scratch);
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kReference>(plan, memory, {q, v, v_r, vdot_r});
  // All Φ of a path come before what it carries.
  FramesBySlot(plan, memory, frames).ForEachPack([&](int b, const int* of, bool again) {
    const LinkPack link(plan, b);
    const CarriedPack<Carried::kReference> body(memory, b);
    if (!again) memory.columns[b].Phi = CalcPhi(link, body.R(), body.r());
    const FramePack at(link, body, frames, of);
    WrenchRows wrenches;
    wrenches.Set(ParameterMotion(body, at, t), at);
    ToRows<WrenchRows::kNumbers>(wrenches.numbers(), memory.rows, WrenchRows::kNumbers);
    for (int l = 0; l < kWidth; ++l) {
      if (of[l] < 0) continue;
      const double* rows = memory.rows + l * WrenchRows::kNumbers;
      const int slot = kWidth * b + l, first = kParameters * of[l];
      if constexpr (kTransposed) {
        PutRows(plan, memory.columns, rows, slot, {Y.data + first, Y.stride});
      } else {
        PutColumns(plan, memory.columns, rows, slot, {Y.data + first * Y.stride, Y.stride});
      }
    }
  });
  for (int f = 0; !kTransposed && f < frames.count; ++f) {
    if (BodyOf(frames, f) >= 0) continue;
    PutColumns(plan, memory.columns, memory.rows, -1,
               {Y.data + kParameters * f * Y.stride, Y.stride});
  }
}

/// Y x of each slot, or nothing where that is nullptr, and with kPower Yᵀs, ten numbers a frame.
template <Carried kCarried, bool kWithWrench>
CIVITA_INLINE void CalcProducts(const PlanView& plan, double* scratch, const FramesView& frames,
                                double t, const Inputs& in, const double* x, double* Yx,
                                double* YTs) {
  const Memory memory(plan, scratch);
  CalcLocals(plan, memory, in.q);
  ComposeFrames<kCarried>(plan, memory, in);
  FramesBySlot(plan, memory, frames).ForEachPack([&](int b, const int* of, bool again) {
    const LinkPack link(plan, b);
    const CarriedPack<kCarried> body(memory, b);
    const FramePack at(link, body, frames, of);
    const ParameterMotion y(body, at, t);
    if constexpr (kWithWrench) {
      if (!again) memory.columns[b].Phi = CalcPhi(link, body.R(), body.r());
      Pack numbers[kParameters];
      LoadParameters(x, of, numbers);
      const Force<Pack> F = CalcWrench(y, at, numbers);
      Pack sum[kForceNumbers] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
      double* const row = memory.rows + b * kWidth * kForceNumbers;
      if (again) {
        Pack before[kForceNumbers];
        FromRows<kForceNumbers>(row, kForceNumbers, before);
        for (int c = 0; c < kForceNumbers; ++c) sum[c] += before[c];
      }
      ToRows<kForceNumbers>(sum, row, kForceNumbers);
    }
    if constexpr (kCarried == Carried::kPower) {
      Pack powers[kParameters];
      CalcPowers(y, at, body.s(), powers);
      StoreParameters(powers, of, YTs);
    }
  });
  if constexpr (kWithWrench) {
    SumRows<kForceNumbers>(plan, memory.rows, kForceNumbers);
    for (int a = 0; a < plan.base; ++a) Yx[a - plan.base] = memory.rows[kForceF + a];
    for (int b = 0; b < NumPacks(plan); ++b) {
      Pack F[kForceNumbers];
      FromRows<kForceNumbers>(memory.rows + b * kWidth * kForceNumbers, kForceNumbers, F);
      const Pack power =
          Dot(memory.columns[b].Phi, Force<Pack>{{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
      StoreSome(Yx + kWidth * b, power, plan.n - kWidth * b);
    }
  }
}

inline void CalcRegressorProducts(const PlanView& plan, double* scratch, const FramesView& frames,
                                  double t, const double* q, const double* v, const double* v_r,
                                  const double* vdot_r, const double* x, const double* s,
                                  double* Yx, double* YTs) {
  const Inputs in = {q, v, v_r, vdot_r, s};
  if (s == nullptr) {
    CalcProducts<Carried::kReference, true>(plan, scratch, frames, t, in, x, Yx, nullptr);
  } else if (x == nullptr) {
    CalcProducts<Carried::kPower, false>(plan, scratch, frames, t, in, nullptr, nullptr, YTs);
  } else {
    CalcProducts<Carried::kPower, true>(plan, scratch, frames, t, in, x, Yx, YTs);
  }
  for (int f = 0; s != nullptr && f < frames.count; ++f) {
    for (int c = 0; BodyOf(frames, f) < 0 && c < kParameters; ++c) YTs[kParameters * f + c] = 0;
  }
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
