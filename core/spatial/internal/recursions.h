#pragma once

#include "core/spatial/internal/tree.h"

// What the plain algorithms and the kernels with a state a lane compute alike, for any scalar: a
// number, one that carries a derivative, or a pack of several states' numbers. As in
// civita/spatial.h, nothing here may become a function of its own.

namespace civita::internal {

/// A constant of a Model in another scalar; packs specialize it.
template <typename T>
CIVITA_INLINE T Constant(double x) {
  return T(x);
}
template <typename T>
CIVITA_INLINE V3<T> Cast(const V3<double>& x) {
  return {Constant<T>(x.x), Constant<T>(x.y), Constant<T>(x.z)};
}
template <typename T>
CIVITA_INLINE M3<T> Cast(const M3<double>& M) {
  M3<T> cast;
  for (int n = 0; n < 9; ++n) cast.a[n] = Constant<T>(M.a[n]);
  return cast;
}
template <typename T>
CIVITA_INLINE S3<T> Cast(const S3<double>& A) {
  return {Constant<T>(A.xx), Constant<T>(A.xy), Constant<T>(A.xz),
          Constant<T>(A.yy), Constant<T>(A.yz), Constant<T>(A.zz)};
}

// *to = x, number by number: structs of packs that are made in registers GCC 12 copies by way of
// the stack.
template <typename X>
CIVITA_INLINE void Put(const X& x, X* to) {
  *to = x;
}
template <typename T>
CIVITA_INLINE void Put(const V3<T>& x, V3<T>* to) {
  to->x = x.x;
  to->y = x.y;
  to->z = x.z;
}
template <typename T>
CIVITA_INLINE void Put(const M3<T>& x, M3<T>* to) {
#pragma GCC unroll 9
  for (int n = 0; n < 9; ++n) to->a[n] = x.a[n];
}
template <typename T>
CIVITA_INLINE void Put(const Motion<T>& x, Motion<T>* to) {
  Put(x.w, &to->w);
  Put(x.u, &to->u);
}
template <typename T>
CIVITA_INLINE void Put(const Force<T>& x, Force<T>* to) {
  Put(x.n, &to->n);
  Put(x.f, &to->f);
}
template <typename T>
CIVITA_INLINE void Put(const Inertia<T>& x, Inertia<T>* to) {
  to->m = x.m;
  Put(x.h, &to->h);
  to->Ibar.xx = x.Ibar.xx;
  to->Ibar.xy = x.Ibar.xy;
  to->Ibar.xz = x.Ibar.xz;
  to->Ibar.yy = x.Ibar.yy;
  to->Ibar.yz = x.Ibar.yz;
  to->Ibar.zz = x.Ibar.zz;
}
template <typename T>
CIVITA_INLINE void Put(const ChristoffelFactor<T>& x, ChristoffelFactor<T>* to) {
  Put(x.B11, &to->B11);
  Put(x.f, &to->f);
}

/// 2/x; 0 for x = 0, where the scalar tells: a formula does not know what its symbols will be.
template <typename T>
CIVITA_INLINE T TwoOver(const T& x) {
  const T zero = Constant<T>(0);
  if constexpr (requires { x == zero ? zero : x; }) {
    return x == zero ? zero : Constant<T>(2) / x;
  } else {
    return Constant<T>(2) / x;
  }
}

/// The rotation of a quaternion [w x y z] of any length; a zero one counts as the identity.
template <typename T>
CIVITA_INLINE M3<T> QuaternionRotation(const T* quaternion) {
  const T w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
  const T one = Constant<T>(1);
  const T s = TwoOver(w * w + x * x + y * y + z * z);
  return {{one - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
           s * (x * y + w * z), one - s * (x * x + z * z), s * (y * z - w * x),  //
           s * (x * z - w * y), s * (y * z + w * x), one - s * (x * x + y * y)}};
}

/// The axis of a joint of one degree of freedom as turned by R, of the length of Link::axis.
template <typename T>
CIVITA_INLINE V3<T> TurnAxis(const Link& link, const M3<T>& R) {
  if (link.along_z) return Constant<T>(link.scale) * ColumnOf(R, 2);
  return R * Cast<T>(link.axis);
}

/// Rotation about the joint's axis by an angle, after R_PF.
template <typename T>
CIVITA_INLINE void CalcHingeRotation(const Link& link, const T& s, const T& c, M3<T>* R) {
  if (link.along_z) {
    const M3<T> F = Cast<T>(link.R_PF);
#pragma GCC unroll 3
    for (int n = 0; n < 9; n += 3) {
      R->a[n] = F.a[n] * c + F.a[n + 1] * s;
      R->a[n + 1] = F.a[n + 1] * c - F.a[n] * s;
      R->a[n + 2] = F.a[n + 2];
    }
    return;
  }
#pragma GCC unroll 9
  for (int n = 0; n < 9; ++n) {
    R->a[n] = Constant<T>(link.R_axis.a[n]) + c * Constant<T>(link.R_cos.a[n]) +
              s * Constant<T>(link.R_sin.a[n]);
  }
}

/// Orientation and origin of the body in its parent; q are the joint's own numbers.
template <typename T, typename SinCos>
CIVITA_INLINE void CalcJointPose(const Link& link, const T* q, SinCos sin_cos, M3<T>* R, V3<T>* p) {
  switch (link.joint) {
    case JointType::kHelical:
    case JointType::kHinge: {
      const T x = q[0] - Constant<T>(link.reference);
      Put(Cast<T>(link.p_PF), p);
      if (link.joint == JointType::kHelical) {
        *p += (Constant<T>(link.pitch) * x) * TurnAxis(link, Cast<T>(link.R_PF));
      }
      T s, c;
      sin_cos(Constant<T>(link.scale) * x, &s, &c);
      CalcHingeRotation(link, s, c, R);
      break;
    }
    case JointType::kSlide:
      Put(Cast<T>(link.R_PF), R);
      Put(Cast<T>(link.p_PF), p);
      *p += (q[0] - Constant<T>(link.reference)) * TurnAxis(link, *R);
      break;
    case JointType::kBall:
      Put(Cast<T>(link.p_PF), p);
      Put(Cast<T>(link.R_PF) * QuaternionRotation(q), R);
      break;
    default:  // kFree
      Put({q[0], q[1], q[2]}, p);
      Put(QuaternionRotation(q + 3), R);
  }
}

/// Columns Φ of the body's joint: each is constant in the frame that carries it.
template <typename T>
CIVITA_INLINE void CalcColumns(const Link& link, const M3<T>& R_WB, const V3<T>& r,
                               Motion<T>* Phi) {
  const T zero = Constant<T>(0), one = Constant<T>(1);
  switch (link.joint) {
    case JointType::kHinge:
    case JointType::kHelical: {
      const V3<T> z = TurnAxis(link, R_WB);
      Put({z, Cross(r, z)}, Phi);
      if (link.joint == JointType::kHelical) Phi->u += Constant<T>(link.pitch) * z;
      break;
    }
    case JointType::kSlide:
      Put({{zero, zero, zero}, TurnAxis(link, R_WB)}, Phi);
      break;
    default:  // kFree, kBall
      if (link.joint == JointType::kFree) {
        *Phi++ = {{zero, zero, zero}, {one, zero, zero}};
        *Phi++ = {{zero, zero, zero}, {zero, one, zero}};
        *Phi++ = {{zero, zero, zero}, {zero, zero, one}};
      }
      for (int k = 0; k < 3; ++k) {
        const V3<T> z = ColumnOf(R_WB, k);
        Put({z, Cross(r, z)}, &Phi[k]);
      }
  }
}

/// R_WB, r and, of a root, origin of body b; its parent's are set before. Body is
/// Kinematics<T>::Body or has the same members.
template <typename T, typename Body, typename SinCos>
CIVITA_INLINE void CalcBodyPose(const Link& link, const T* q, SinCos sin_cos, const Body* bodies,
                                Body* body) {
  M3<T> R;
  V3<T> p;
  CalcJointPose(link, q + link.iq, sin_cos, &R, &p);
  if (link.parent < 0) {
    Put(R, &body->R_WB);
    Put(V3<T>{}, &body->r);
    Put(p, &body->origin);
  } else {
    const Body& parent = bodies[link.parent];
    Put(parent.R_WB * R, &body->R_WB);
    Put(parent.r + parent.R_WB * p, &body->r);
  }
}

/// The same and the body's columns Φ.
template <typename T, typename Body, typename SinCos>
CIVITA_INLINE void CalcPose(const Link& link, const T* q, SinCos sin_cos, const Body* bodies,
                            Body* body, Motion<T>* Phi) {
  CalcBodyPose(link, q, sin_cos, bodies, body);
  CalcColumns(link, body->R_WB, body->r, Phi + link.iv);
}

/// Σ Φ_k x_k over the joint's coordinates.
template <typename T>
CIVITA_INLINE Motion<T> JointMotion(const Link& link, const Motion<T>* Phi, const T* x) {
  Motion<T> sum = x[link.iv] * Phi[link.iv];
  for (int k = link.iv + 1; k < link.iv + link.nv; ++k) sum += x[k] * Phi[k];
  return sum;
}

/// The body's velocity from its parent's, and Φ̇ = v_carrier × Φ.
template <typename T, typename Body>
CIVITA_INLINE void CalcVelocity(const Link& link, const T* v, const Body* bodies, Body* body,
                                const Motion<T>* Phi, Motion<T>* Phidot) {
  Motion<T> V = JointMotion(link, Phi, v);
  if (link.parent >= 0) V += bodies[link.parent].V;
  Put(V, &body->V);
  const int carried = link.first_carried(), end = link.iv + link.nv;
  for (int k = link.iv; k < carried; ++k) Phidot[k] = Motion<T>{};
  for (int k = carried; k < end; ++k) Put(Cross(V, Phi[k]), &Phidot[k]);
}

/// About the tree's reference point.
template <typename T, typename Body>
CIVITA_INLINE void CalcInertia(const Link& link, Body* body) {
  Put(WorldInertia<T>(body->R_WB, body->r, Constant<T>(link.mass), Cast<T>(link.com),
                      Cast<T>(link.inertia)),
      &body->I);
}

/// İ = (ξ×*)I − I(ξ×), which has the form of an inertia without mass.
template <typename T>
CIVITA_INLINE Inertia<T> CalcInertiaRate(const Inertia<T>& J, const Motion<T>& v) {
  const S3<T>& I = J.Ibar;
  const V3<T>&w = v.w, &u = v.u, &h = J.h;
  const V3<T> wh = Cross(w, h);
  const T px = u.x * h.x, py = u.y * h.y, pz = u.z * h.z;
  // Ī's own rate is A + Aᵀ − (h uᵀ + u hᵀ) + 2(u·h)1 with A = (ω×)Ī.
  const T xx = w.y * I.xz - w.z * I.xy + (py + pz), yy = w.z * I.xy - w.x * I.yz + (px + pz);
  const T zz = w.x * I.yz - w.y * I.xz + (px + py);
  return {T{},
          {J.m * u.x + wh.x, J.m * u.y + wh.y, J.m * u.z + wh.z},
          {xx + xx, w.y * I.yz - w.x * I.xz + w.z * (I.xx - I.yy) - (h.x * u.y + u.x * h.y),
           w.x * I.xy - w.z * I.yz + w.y * (I.zz - I.xx) - (h.x * u.z + u.x * h.z), yy + yy,
           w.z * I.xz - w.y * I.xy + w.x * (I.yy - I.zz) - (h.y * u.z + u.y * h.z), zz + zz}};
}

/// x of every body becomes its sum over the body's subtree; use(b, sum) is called with each.
template <typename X, typename Use>
CIVITA_INLINE void SumOverSubtrees(const Tree& tree, X* x, Use use) {
  X sum{};
  for (int b = tree.num_bodies - 1, child = -1; b >= 0; --b) {
    // The sum of the body after is at hand: as a load it would wait until it is stored.
    if (child == b) {
      sum += x[b];
    } else {
      sum = x[b];
    }
    Put(sum, &x[b]);
    use(b, sum);
    const int parent = tree.links[b].parent;
    if (parent >= 0 && parent != b - 1) x[parent] += sum;
    child = parent == b - 1 ? parent : -1;
  }
}
template <typename X>
CIVITA_INLINE void SumOverSubtrees(const Tree& tree, X* x) {
  SumOverSubtrees(tree, x, [](int, const X&) {});
}

/// H_ik = Φ_iᵀ I^C Φ_k of all i on the path to k, and the armature. H is a matrix with H(i, k),
/// zero before.
template <typename T, typename Matrix>
CIVITA_INLINE void CalcMassPairs(const Tree& tree, const Inertia<T>* Ic, const Motion<T>* Phi,
                                 Matrix& H) {
  const int *body = tree.body, *parent = tree.parent;
  for (int k = 0; k < tree.nv; ++k) {
    const Force<T> F = Ic[body[k]] * Phi[k];
    for (int i = k; i >= 0; i = parent[i]) H(i, k) = H(k, i) = Dot(Phi[i], F);
    H(k, k) += Constant<T>(tree.armature[k]);
  }
}

/// Algorithm 1 of [EW]: for every coordinate k and every i that moves it
///   C_ik = Φ_iᵀ F1, C_ki = Φ̇_iᵀ F2 + Φ_iᵀ F3, H_ik = Φ_iᵀ F2,
///   F1 = I^C Φ̇_k + B^C Φ_k, F2 = I^C Φ_k, F3 = (B^C)ᵀ Φ_k.
/// Armature is a constant metric a·1 on the joint's rates: H gets it on the diagonal. On the
/// rotations of a ball or free joint, whose rates do not commute, it adds ½a·ε_ijk to Γ_ijk, hence
/// ½a (v×) to C. Matrices as in CalcMassPairs.
template <typename T, typename Factor, typename MatrixC, typename MatrixH>
CIVITA_INLINE void CalcCoriolisPairs(const Tree& tree, const Inertia<T>* Ic, const Factor* B,
                                     const Motion<T>* Phi, const Motion<T>* Phidot, const T* v,
                                     MatrixC& C, MatrixH& H) {
  const int *body = tree.body, *parent = tree.parent;
  for (int k = 0; k < tree.nv; ++k) {
    const Inertia<T>& I = Ic[body[k]];
    const Factor& B_k = B[body[k]];
    Force<T> F1 = I * Phidot[k];
    F1 += B_k * Phi[k];
    const Force<T> F2 = I * Phi[k];
    const auto F3 = TransposeTimes(B_k, Phi[k]);
    for (int i = k; i >= 0; i = parent[i]) {
      C(k, i) = Dot(Phidot[i], F2) + Dot(Phi[i], F3);
      C(i, k) = Dot(Phi[i], F1);
      H(k, i) = H(i, k) = Dot(Phi[i], F2);
    }
  }
  for (int k = 0; k < tree.nv; ++k) {
    const T a = Constant<T>(tree.armature[k]);
    H(k, k) += a;
    if (tree.triple[k] != k) continue;
    const M3<T> half = Half(a) * Skew(V3<T>{v[k], v[k + 1], v[k + 2]});
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) C(k + i, k + j) += half(i, j);
    }
  }
}

/// Along coordinate j the motion of the bodies that it moves changes by
///   ∂_j ξ = Φ_j × ξ + ψ̇_j,   ∂_j a = Φ_j × a + ψ̇_j × ξ + ψ̈_j,
///   ∂ξ/∂v_j = Φ_j,   ∂a/∂v_j = Φ_j × ξ + Φ̇_j + ψ̇_j,
/// hence their F = I a + ξ ×* I ξ, with B the Christoffel-consistent factor, by
///   ∂_j F = Φ_j ×* F + I ψ̈_j + 2B ψ̇_j,   ∂F/∂v_j = I (Φ̇_j + ψ̇_j) + 2B Φ_j.
/// That adds up over subtrees. With the sums below the deeper one of i and j,
///   ∂_j τ_i = Φ_iᵀ ((1 − [j ▷ i]) Φ_j ×* F + I ψ̈_j + 2B ψ̇_j),
///   ∂τ_i/∂v_j = Φ_iᵀ (I (Φ̇_j + ψ̇_j) + 2B Φ_j);
/// where j moves i ("j ▷ i"), Φ_i turns along with F and the first term is no more.
/// phi_rate(k) is Φ̇_k + ψ̇_k. Matrices as in CalcMassPairs.
template <typename T, typename Factor, typename PhiRate, typename Matrix, typename MatrixH>
CIVITA_INLINE void CalcDerivativePairs(const Tree& tree, const Inertia<T>* Ic, const Factor* B,
                                       const Force<T>* F, const Motion<T>* Phi,
                                       const PhiRate& phi_rate, const Motion<T>* Psidot,
                                       const Motion<T>* Psiddot, Matrix& dtau_dq, Matrix& dtau_dv,
                                       MatrixH& H) {
  const T two = Constant<T>(2);
  for (int k = 0; k < tree.nv; ++k) {
    const int b = tree.body[k];
    const Force<T> momentum = Ic[b] * Phi[k];
    const Force<T> still = Ic[b] * Psiddot[k] + two * (B[b] * Psidot[k]);
    const Force<T> along_q = still + CrossForce(Phi[k], F[b]);
    const Force<T> along_v = Ic[b] * phi_rate(k) + two * (B[b] * Phi[k]);
    const auto Q = two * TransposeTimes(B[b], Phi[k]);
    const bool in_triple = tree.triple[k] >= 0;  // else k moves none of its path
    for (int i = k; i >= 0; i = tree.parent[i]) {
      H(i, k) = H(k, i) = Dot(Phi[i], momentum);
      dtau_dq(k, i) = Dot(Psiddot[i], momentum) + Dot(Psidot[i], Q);
      dtau_dv(k, i) = Dot(phi_rate(i), momentum) + Dot(Phi[i], Q);
      dtau_dq(i, k) = Dot(Phi[i], along_q);
      dtau_dv(i, k) = Dot(Phi[i], along_v);
      if (in_triple && tree.Moves(k, i)) dtau_dq(i, k) = Dot(Phi[i], still);
    }
    H(k, k) += Constant<T>(tree.armature[k]);
  }
}

}  // namespace civita::internal
