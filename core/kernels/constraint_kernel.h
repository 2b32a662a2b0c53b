#pragma once

#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/rnea_kernel.h"
#include "core/spatial/internal/tree.h"

// Dynamics under constraints (core/dynamics/constrained_dynamics.cc): H and the bias forces of one
// composition of frames, Jacobians of bodies by these frames, and products with the factor of H.

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Inertia and force of a pack of slots, which are summed over subtrees.
struct alignas(64) SummedWithBias {
  Inertia<Pack> J;
  Force<Pack> F;

  static constexpr int kNumbers = 16;
  CIVITA_INLINE Pack* numbers() { return &J.m; }
};
static_assert(sizeof(SummedWithBias) == SummedWithBias::kNumbers * sizeof(Pack));
constexpr int kBiasForce = (offsetof(SummedWithBias, F) + offsetof(Force<Pack>, f)) / sizeof(Pack);

/// `zeros`: a padded acceleration.
inline void CalcMassMatrixAndBias(const PlanView& plan, double* scratch, const double* q,
                                  const double* v, const double* zeros, MatrixView H,
                                  double* bias) {
  const Memory memory(plan, scratch);
  constexpr int kNumbers = SummedWithBias::kNumbers;
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kAcceleration>(plan, memory, {q, v, v, zeros});
  const auto row = [&](int pack) { return memory.rows + pack * kWidth * kNumbers; };
  for (int b = 0; b < NumPacks(plan); ++b) {
    const LinkPack link(plan, b);
    const CarriedPack<Carried::kAcceleration> body(memory, b);
    memory.columns[b].Phi = CalcPhi(link, body.R(), body.r());
    SummedWithBias x;
    x.J = CalcWorldInertia(link, body.R(), body.r());
    x.F = CalcNetForce(link, body, 0);
    ToRows<kNumbers>(x.numbers(), row(b), kNumbers);
  }
  SumRows<kNumbers>(plan, memory.rows, kNumbers);
  for (int b = 0; b < NumPacks(plan); ++b) {
    const auto x = FromRows<SummedWithBias>(memory.rows, kNumbers, b);
    const Motion<Pack>& Phi = memory.columns[b].Phi;
    memory.columns[b].F2 = x.J * Phi;
    StoreSome(bias + kWidth * b, Dot(Phi, x.F), plan.n - kWidth * b);
  }
  if (plan.base > 0) {
    for (int a = 0; a < 3; ++a) bias[a - 3] = memory.rows[kBiasForce + a];
    PutMomenta(plan, memory, memory.columns, H);
  }
  CalcTiles<MassProducts>(plan, memory.columns, {}, H);
}

/// The model's own axes of the body that is moved by a slot last, row by row.
CIVITA_INLINE void PutAxes(const PlanView& plan, int slot, const Frame<Carried::kPose>& f,
                           double* R) {
  const auto lane = static_cast<unsigned>(slot) % kLanes;
  const LinkBlock& link = plan.links[static_cast<unsigned>(slot) / kLanes];
  Quad x[4] = {};
  for (int k = 0; k < 3; ++k)
    x[k] = Turn(f, link.axes[k][lane], link.axes[3 + k][lane], link.axes[6 + k][lane]);
  Transpose(x);
  StoreSome(R, x[0], 4);  // the fourth number is the next row's first
  StoreSome(R + 3, x[1], 4);
  StoreSome(R + 6, x[2], 3);
}

inline void CalcBodyPoses(const PlanView& plan, double* scratch, const double* q, PosesView to) {
  const Memory memory(plan, scratch);
  CalcLocals(plan, memory, q);
  ComposeFrames<Carried::kPose>(plan, memory, {q, nullptr, nullptr, nullptr});
  for (int b = 0; b < plan.tree->num_bodies; ++b, to.R += to.stride, to.r += to.stride) {
    const int slot = plan.last_slot[b];
    const Frame<Carried::kPose>& f = memory.FramesOf<Carried::kPose>()[slot];
    PutAxes(plan, slot, f, to.R);
    StoreSome(to.r, f.r, 3);
  }
}

inline void GetBodyMotion(const PlanView& plan, double* scratch, int body, BodyMotion* to) {
  const int slot = plan.last_slot[body];
  const Frame<Carried::kAcceleration>& f =
      Memory(plan, scratch).FramesOf<Carried::kAcceleration>()[slot];
  PutAxes(plan, slot, f, to->R.a);
  to->r = {f.r[0], f.r[1], f.r[2]};
  to->V = ToMotion(f.v);
  to->A = ToMotion(f.a);
  to->A.u += V3<double>{plan.gravity[0], plan.gravity[1], plan.gravity[2]};
}

/// Adds ±Rᵀ[ω; ṗ], or ±Rᵀṗ alone, of the slots that move `body` but not `from`.
inline void AddJacobian(const PlanView& plan, double* scratch, const JacobianRows& of, double* X,
                        std::ptrdiff_t stride) {
  const Memory memory(plan, scratch);
  const Relations relations(plan);
  const int slot = plan.last_slot[of.body], from = of.from < 0 ? -1 : plan.last_slot[of.from];
  const V3<Pack> p = Broadcast(of.p);
  M3<Pack> R;
  for (int a = 0; a < 9; ++a) R.a[a] = Broadcast(of.sign * of.R.a[a]);
  const auto add = [&](const V3<Pack>& x, int I, unsigned moves, double* rows) {
    const V3<Pack> turned = TransposeTimes(R, x);
    for (int half = 0; half < kWidth / 4; ++half, moves >>= 4) {
      Quad y[4] = {QuadOf(turned.x, half), QuadOf(turned.y, half), QuadOf(turned.z, half), Quad{}};
      Transpose(y);
      for (int l = 0; l < 4; ++l) {
        if ((moves >> l & 1u) == 0) continue;
        double* const to = rows + (I * kWidth + 4 * half + l) * stride;
        StoreSome(to, *reinterpret_cast<const UnalignedQuad*>(to) + y[l], 4);
      }
    }
  };
  double *angular = X + plan.base * stride, *linear = angular + (of.with_rotation ? 3 : 0);
  for (int I = 0; I * kWidth <= slot; ++I) {
    const unsigned moves = relations.Before(I, slot) & ~(from < 0 ? 0u : relations.Before(I, from));
    if (moves == 0) continue;
    const Motion<Pack>& Phi = memory.columns[I].Phi;
    add(PointVelocity(Phi, p), I, moves, linear);
    if (of.with_rotation) add(Phi.w, I, moves, angular);
  }
  if (plan.base == 0 || slot >= plan.end[0] || from >= 0) return;
  for (int a = 0; a < 3; ++a) {
    for (int i = 0; i < 3; ++i) linear[(a - 3) * stride + i] += of.sign * of.R(a, i);
  }
}

/// The first r lanes.
CIVITA_INLINE LaneMask First(int r) { return MaskOf((1u << r) - 1u); }

/// y += a x, of `packs` packs.
CIVITA_INLINE void AddMultiple(double a, const double* x, int packs, double* y) {
  const Pack factor = Broadcast(a);
  for (int p = 0; p < packs * kWidth; p += kWidth) {
    StoreUnaligned(y + p, LoadUnaligned(y + p) + factor * LoadUnaligned(x + p));
  }
}

/// A factor and the rows beside it, by coordinate; kOf packs have all rows, 0 for any number. What
/// coordinates take from those that they move waits at their depth: depth-first, these come right
/// after them, and nothing waits deeper.
template <int kOf>
class ConstraintProducts {
 public:
  CIVITA_INLINE ConstraintProducts(const PlanView& plan, const ConstraintView& at)
      : depth_(plan.tree->depth),
        nv_(plan.nv),
        packs_(kOf > 0 ? kOf : (at.rows + kWidth - 1) / kWidth),
        sums_(at.sums),
        at_(at) {}

  CIVITA_INLINE void Whiten(MatrixView J, double* squares, MatrixView G) const {
    const int numbers = packs_ * kWidth;
    for (int p = 0; p < numbers; p += kWidth) StoreUnaligned(squares + p, Pack{});
    for (int d = 0; d < at_.L.stride * numbers; d += kWidth) StoreUnaligned(sums_ + d, Pack{});
    for (int k = nv_ - 1; k >= 0; --k) {
      const int depth = depth_[k];
      const double* const L = Row(k);
      at_.inverse[k] = 1 / L[depth];
      double *const x = X(k), *const sum = sums_ + depth * numbers;
      for (int p = 0; p < numbers; p += kWidth) {
        const Pack given = LoadUnaligned(x + p);
        StoreSome(J.data + k * J.stride + p, given, at_.rows - p);
        StoreUnaligned(squares + p, LoadUnaligned(squares + p) + given * given);
        StoreUnaligned(x + p, given - LoadUnaligned(sum + p));
        StoreUnaligned(sum + p, Pack{});
      }
      if (!at_.used[k]) continue;
      for (int d = 0; d < depth; ++d) AddMultiple(L[d], x, packs_, sums_ + d * numbers);
    }
    for (int c = 0; c < at_.rows; ++c) {
      const int first = c / kWidth * kWidth;
      for (int p = first; p < numbers; p += kWidth) {
        Pack sum = {};
        for (int k = 0; k < nv_; ++k) {
          sum += Broadcast(at_.inverse[k] * X(k)[c]) * LoadUnaligned(X(k) + p);
        }
        StoreUnaligned(G.data + c * G.stride + p, sum);
      }
    }
  }

  /// y = L⁻ᵀf in place of f.
  CIVITA_INLINE void Project(double* f, double* b) const {
    ClearSums();
    for (int p = 0; p < packs_; ++p) StoreUnaligned(b + p * kWidth, Pack{});
    for (int k = nv_ - 1; k >= 0; --k) {
      const int depth = depth_[k];
      const double* const L = Row(k);
      const double x = f[k] - sums_[depth];
      f[k] = x;
      const Pack factor = Broadcast(x);
      int d = 0;
      for (; d + kWidth <= depth; d += kWidth) {
        StoreUnaligned(sums_ + d, LoadUnaligned(sums_ + d) + factor * LoadUnaligned(L + d));
      }
      const Pack last = LoadUnaligned(sums_ + d) + factor * LoadUnaligned(L + d);
      StoreUnaligned(sums_ + d, And(last, First(depth - d)));
      if (at_.used[k]) AddMultiple(x * at_.inverse[k], X(k), packs_, b);
    }
  }

  /// The x of a path wait at their depths.
  CIVITA_INLINE void Release(const double* lambda, double* y) const {
    ClearSums();
    for (int k = 0; k < nv_; ++k) {
      const int depth = depth_[k];
      const double* const L = Row(k);
      double x = y[k];
      for (int c = 0; at_.used[k] && c < at_.rows; ++c) x += X(k)[c] * lambda[c];
      Pack sum = {};
      int d = 0;
      for (; d + kWidth <= depth; d += kWidth) {
        sum += LoadUnaligned(L + d) * LoadUnaligned(sums_ + d);
      }
      const Pack last = LoadUnaligned(sums_ + d);
      sum += And(LoadUnaligned(L + d), First(depth - d)) * last;
      x *= at_.inverse[k];
      for (int l = 0; l < kWidth; ++l) x -= sum[l];
      y[k] = x;
      StoreUnaligned(sums_ + d, Select(MaskOf(1u << (depth - d)), Broadcast(x), last));
    }
  }

 private:
  CIVITA_INLINE void ClearSums() const {
    for (int d = 0; d < at_.L.stride; d += kWidth) StoreUnaligned(sums_ + d, Pack{});
  }
  CIVITA_INLINE const double* Row(int k) const { return at_.L.data + k * at_.L.stride; }
  CIVITA_INLINE double* X(int k) const { return at_.X.data + k * at_.X.stride; }

  // Copies, as stores could change all that they are copies of.
  const int* depth_;
  int nv_, packs_;
  double* sums_;
  ConstraintView at_;
};

/// calc(products) with few packs unrolled.
template <typename Calc>
CIVITA_INLINE void WithProducts(const PlanView& plan, const ConstraintView& at, const Calc& calc) {
  if (at.rows <= kWidth) {
    calc(ConstraintProducts<1>(plan, at));
  } else {
    calc(ConstraintProducts<0>(plan, at));
  }
}

inline void WhitenConstraints(const PlanView& plan, const ConstraintView& at, MatrixView J,
                              double* squares, MatrixView G) {
  WithProducts(plan, at, [&](const auto& products) { products.Whiten(J, squares, G); });
}
inline void ProjectForce(const PlanView& plan, const ConstraintView& at, double* f, double* b) {
  WithProducts(plan, at, [&](const auto& products) { products.Project(f, b); });
}
inline void ReleaseForce(const PlanView& plan, const ConstraintView& at, const double* lambda,
                         double* y) {
  WithProducts(plan, at, [&](const auto& products) { products.Release(lambda, y); });
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
