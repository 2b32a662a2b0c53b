#include "core/space/internal/loop_rows.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/dynamics/internal/constraint_rows.h"
#include "core/spatial/internal/scalars.h"

namespace civita::internal {

namespace {

/// The scratch with poses and Φ of what the cluster's rows are made of.
template <typename T>
Scratch<T>& RequireLegs(const VelocitySpace& model, const LoopRows& cluster, Workspace<T>& tree) {
  auto& s = RequireState(model.tree(), tree, Stage::kPosition, "the rows of loops");
  if (!s.pending) return s;
  for (const RigidRows& rows : cluster.rigid) {
    for (const Leg* leg : {&rows.A, &rows.B}) {
      const int body = leg->end.body;
      if (body >= 0 && !HasMotion(body, s)) UpdatePath(TreeOf(model.tree()), body, s);
    }
  }
  return s;
}

/// The point of a leg's end, from its tree's reference point or the world's origin.
template <typename T>
CIVITA_INLINE V3<T> PointOf(const Leg& leg, const Scratch<T>& s) {
  const V3<T> p = Cast<T>(ToV3(leg.end.X_BF.p));
  const typename Kinematics<T>::Body* carrier = Carrier(leg.end, s);
  return carrier == nullptr ? p : carrier->r + carrier->R_WB * p;
}

/// The rotation vector of R to first order, 2 sin(θ/2) times the axis.
template <typename T>
Vector3<T> RotationError(const Matrix3<T>& R) {
  const Eigen::Quaternion<T> quaternion(R);
  return (quaternion.w() < T(0) ? T(-2) : T(2)) * quaternion.vec();
}

/// Of a leg's rows: adds sign times columns x = [ω; ṗ] to K, that of the point, in units of
/// `length`, then of the rotation.
template <typename T>
struct LegColumns {
  const LoopLayout& layout;
  int row;
  bool fixes_rotation;
  double sign, length;
  T* K;
  Eigen::Index stride;

  LegColumns(const VelocitySpace& model, const LoopRows& cluster, const RigidRows& rows,
             double sign_in, MatrixOut<T>& K_in)
      : layout(LayoutOf(model)),
        row(rows.row),
        fixes_rotation(rows.fixes_rotation),
        sign(sign_in),
        length(cluster.length),
        K(K_in.data()),
        stride(K_in.outerStride()) {}

  CIVITA_INLINE void operator()(int k, const Motion<T>& x) const {
    T* const to = K + layout.column(k) * stride + row;
    const double turn = sign * layout.unit(k);
    const T scale = T(turn / length);
    to[0] += scale * x.u.x;
    to[1] += scale * x.u.y;
    to[2] += scale * x.u.z;
    if (!fixes_rotation) return;
    to[3] += T(turn) * x.w.x;
    to[4] += T(turn) * x.w.y;
    to[5] += T(turn) * x.w.z;
  }
};

/// d/dt [ω_k; u_k + ω_k × p] = [ω̇_k; u̇_k + ω̇_k × p + ω_k × ṗ], seen from the body that carries both
/// legs: velocities along the leg begin at zero.
template <typename T>
void AddLegRates(const Tree& tree, const Leg& leg, const Scratch<T>& s, const T* v,
                 const LegColumns<T>& add) {
  const V3<T> p = PointOf<T>(leg, s);
  const Motion<T>* const Phi = s.Phi.data();
  Motion<T> V_end{};
  for (const int b : leg.path) V_end += JointMotion(tree.links[b], Phi, v);
  const V3<T> pdot = PointVelocity(V_end, p);
  Motion<T> V{};
  for (const int b : leg.path) {
    const Link& link = tree.links[b];
    V += JointMotion(link, Phi, v);
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      const Motion<T> rate = k < link.first_carried() ? Motion<T>{} : Cross(V, Phi[k]);
      add(k, {rate.w, PointVelocity(rate, p) + Cross(Phi[k].w, pdot)});
    }
  }
}

/// What an acceleration X = Σ Φ_k x_k + Φ̇_k y_k of a leg's end is made of, V = Σ Φ_k v_k and Y =
/// Σ Φ_k y_k, and how they change along the direction U = Σ Φ_k u_k, which turns Φ_k by U × Φ_k.
template <typename T>
struct LegMotion {
  Motion<T> U{}, V{}, dV{}, Y{}, dY{}, X{}, dX{};

  /// As of the joint of `link`.
  void Add(const Link& link, const Scratch<T>& s, const MotionAlong<T>& along) {
    Motion<T> u{}, v{}, v_rate{};
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      u += along.direction[k] * s.Phi[k];
      v += along.v[k] * s.Phi[k];
      v_rate += along.v_rate[k] * s.Phi[k];
    }
    U += u;
    V += v;
    dV += v_rate;
    const auto turned = [&](int k) {
      return k < link.first_carried() ? Motion<T>{} : Cross(U, s.Phi[k]);
    };
    for (int k = link.iv; k < link.iv + link.nv; ++k) dV += along.v[k] * turned(k);
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      const Motion<T>& Phi = s.Phi[k];
      const Motion<T> dPhi = turned(k);
      Y += along.y[k] * Phi;
      dY += along.y[k] * dPhi + along.y_rate[k] * Phi;
      X += along.x[k] * Phi;
      dX += along.x[k] * dPhi;
      if (k < link.first_carried()) continue;
      X += along.y[k] * Cross(V, Phi);
      dX += along.y_rate[k] * Cross(V, Phi) + along.y[k] * (Cross(dV, Phi) + Cross(V, dPhi));
    }
  }
};

/// Adds sign times the rate of a leg's [acceleration of the point; angular acceleration].
template <typename T>
void AddLegAccelerationRate(const VelocitySpace& model, const LoopRows& cluster,
                            const RigidRows& rows, const Leg& leg, double sign, const Scratch<T>& s,
                            const MotionAlong<T>& along, VectorOut<T>& rate) {
  const V3<T> p = PointOf<T>(leg, s);
  LegMotion<T> m;
  for (const int b : leg.path) m.Add(TreeOf(model.tree()).links[b], s, along);
  const V3<T> dp = PointVelocity(m.U, p), pdot = PointVelocity(m.V, p);
  const V3<T> dpdot = PointVelocity(m.dV, p) + Cross(m.V.w, dp);
  const V3<T> point =
      PointVelocity(m.dX, p) + Cross(m.X.w, dp) + Cross(m.dY.w, pdot) + Cross(m.Y.w, dpdot);
  rate.template segment<3>(rows.row) += T(sign / cluster.length) * ToVector(point);
  if (rows.fixes_rotation) {
    rate.template segment<3>(rows.row + 3) += T(sign) * ToVector(m.dX.w);
  }
}

}  // namespace

template <typename T>
void UpdateLegs(const VelocitySpace& model, Workspace<T>& tree) {
  const std::vector<LoopRows>& clusters = LayoutOf(model).clusters;
  const auto has_legs = [](const LoopRows& cluster) { return cluster.closes_frames; };
  if (std::any_of(clusters.begin(), clusters.end(), has_legs))
    UpdateMotionsAtOnce(TreeOf(model.tree()), Access::scratch(tree));
}

template <typename T>
void CalcGap(const VelocitySpace& model, const LoopRows& cluster, Workspace<T>& tree, VectorIn<T> q,
             VectorOut<T> gap) {
  auto& s = RequireLegs(model, cluster, tree);
  for (const RigidRows& rows : cluster.rigid) {
    const MovingPoint<T> A{PointOf<T>(rows.A, s), rows.A.end.body};
    const V3<T> apart =
        FromReference<T>(model.tree(), A, rows.B.end.body, s) - PointOf<T>(rows.B, s);
    gap.template segment<3>(rows.row) = ToVector(apart) / T(cluster.length);
    if (rows.fixes_rotation) {
      const M3<T> turn = AxesOf(rows.A.end, s).R * Transpose(AxesOf(rows.B.end, s).R);
      gap.template segment<3>(rows.row + 3) = RotationError<T>(ToMatrix(turn));
    }
  }
  for (const JointRow& row : cluster.joints)
    gap[row.row] = ErrorOf<T>(row, q) / T(LayoutOf(model).unit(row.iv));
}

template <typename T>
void CalcRows(const VelocitySpace& model, const LoopRows& cluster, Workspace<T>& tree,
              VectorIn<T> q, MatrixOut<T> K) {
  auto& s = RequireLegs(model, cluster, tree);
  K.setZero();
  for (const RigidRows& rows : cluster.rigid) {
    const auto add = [&](const Leg& leg, double sign) {
      ForEachColumn(TreeOf(model.tree()), leg, PointOf<T>(leg, s), s,
                    LegColumns<T>(model, cluster, rows, sign, K));
    };
    add(rows.A, 1);
    add(rows.B, -1);
  }
  for (const JointRow& row : cluster.joints) {
    K(row.row, LayoutOf(model).column(row.iv)) += T(1);
    if (row.leader_iv < 0) continue;
    const T ratio = T(LayoutOf(model).unit(row.leader_iv) / LayoutOf(model).unit(row.iv));
    K(row.row, LayoutOf(model).column(row.leader_iv)) -= ratio * Followed<T>(row, q)[1];
  }
}

template <typename T>
void CalcRowRates(const VelocitySpace& model, const LoopRows& cluster, Workspace<T>& tree,
                  VectorIn<T> q, VectorIn<T> v, MatrixOut<T> Kdot) {
  auto& s = RequireLegs(model, cluster, tree);
  Kdot.setZero();
  for (const RigidRows& rows : cluster.rigid) {
    const auto add = [&](const Leg& leg, double sign) {
      AddLegRates<T>(TreeOf(model.tree()), leg, s, v.data(),
                     LegColumns<T>(model, cluster, rows, sign, Kdot));
    };
    add(rows.A, 1);
    add(rows.B, -1);
  }
  for (const JointRow& row : cluster.joints) {
    if (row.leader_iv < 0) continue;
    const T ratio = T(LayoutOf(model).unit(row.leader_iv) / LayoutOf(model).unit(row.iv));
    Kdot(row.row, LayoutOf(model).column(row.leader_iv)) -=
        ratio * Followed<T>(row, q)[2] * v[row.leader_iv];
  }
}

template <typename T>
void CalcRowAccelerationRate(const VelocitySpace& model, const LoopRows& cluster,
                             Workspace<T>& tree, VectorIn<T> q, const MotionAlong<T>& along,
                             VectorOut<T> rate) {
  auto& s = RequireLegs(model, cluster, tree);
  rate.setZero();
  for (const RigidRows& rows : cluster.rigid) {
    AddLegAccelerationRate<T>(model, cluster, rows, rows.A, 1, s, along, rate);
    AddLegAccelerationRate<T>(model, cluster, rows, rows.B, -1, s, along, rate);
  }
  for (const JointRow& row : cluster.joints) {
    if (row.leader_iv < 0) continue;
    const std::array<T, 4> p = Followed<T>(row, q);
    const int k = row.leader_iv;
    const T turn = p[3] * along.direction[k] * along.v[k] * along.y[k] +
                   p[2] * (along.direction[k] * along.x[k] + along.v_rate[k] * along.y[k] +
                           along.v[k] * along.y_rate[k]);
    rate[row.row] -= turn / T(LayoutOf(model).unit(row.iv));
  }
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template void UpdateLegs<T>(const VelocitySpace&, Workspace<T>&);                                \
  template void CalcGap<T>(const VelocitySpace&, const LoopRows&, Workspace<T>&, VectorIn<T>,      \
                           VectorOut<T>);                                                          \
  template void CalcRows<T>(const VelocitySpace&, const LoopRows&, Workspace<T>&, VectorIn<T>,     \
                            MatrixOut<T>);                                                         \
  template void CalcRowRates<T>(const VelocitySpace&, const LoopRows&, Workspace<T>&, VectorIn<T>, \
                                VectorIn<T>, MatrixOut<T>);                                        \
  template void CalcRowAccelerationRate<T>(const VelocitySpace&, const LoopRows&, Workspace<T>&,   \
                                           VectorIn<T>, const MotionAlong<T>&, VectorOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita::internal
