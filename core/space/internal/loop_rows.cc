#include "core/space/internal/loop_rows.h"

#include <Eigen/Geometry>

#include "core/dynamics/internal/constraint_rows.h"
#include "core/spatial/internal/scalars.h"

namespace civita::internal {

namespace {

/// The rotation vector of R to first order, 2 sin(θ/2) times the axis.
template <typename T>
Vector3<T> RotationError(const Matrix3<T>& R) {
  const Eigen::Quaternion<T> quaternion(R);
  return (quaternion.w() < T(0) ? T(-2) : T(2)) * quaternion.vec();
}

/// Adds sign times a column x = [ω; ṗ] to K: that of the point, in units of `length`, then of the
/// rotation.
template <typename T>
void AddColumn(const VelocitySpace& model, const LoopRows& cluster, const RigidRows& rows, int k,
               double sign, const Motion<T>& x, MatrixOut<T>& K) {
  const T scale = T(sign * LayoutOf(model).unit(k));
  auto column = K.col(LayoutOf(model).column(k));
  column.template segment<3>(rows.row) += scale / T(cluster.length) * ToVector(x.u);
  if (rows.fixes_rotation) column.template segment<3>(rows.row + 3) += scale * ToVector(x.w);
}

/// d/dt [ω_k; u_k + ω_k × p] = [ω̇_k; u̇_k + ω̇_k × p + ω_k × ṗ], seen from the body that carries both
/// legs: velocities along the leg begin at zero.
template <typename T>
void AddLegRates(const VelocitySpace& model, const LoopRows& cluster, const RigidRows& rows,
                 const Leg& leg, double sign, const Scratch<T>& s, VectorIn<T> v,
                 MatrixOut<T>& Kdot) {
  const V3<T> p = PointOn<T>(leg.end, s).p;
  const auto velocity_of_joint = [&](const Link& link) {
    Motion<T> V{};
    for (int k = link.iv; k < link.iv + link.nv; ++k) V += v[k] * s.Phi[k];
    return V;
  };
  Motion<T> V_end{};
  for (const int b : leg.path) V_end += velocity_of_joint(TreeOf(model.tree()).links[b]);
  const V3<T> pdot = PointVelocity(V_end, p);
  Motion<T> V{};
  for (const int b : leg.path) {
    const Link& link = TreeOf(model.tree()).links[b];
    V += velocity_of_joint(link);
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      const Motion<T>& Phi = s.Phi[k];
      const Motion<T> rate = k < link.first_carried() ? Motion<T>{} : Cross(V, Phi);
      const Motion<T> column{rate.w, PointVelocity(rate, p) + Cross(Phi.w, pdot)};
      AddColumn<T>(model, cluster, rows, k, sign, column, Kdot);
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
  const V3<T> p = PointOn<T>(leg.end, s).p;
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
void CalcGap(const VelocitySpace& model, const LoopRows& cluster, Workspace<T>& tree, VectorIn<T> q,
             VectorOut<T> gap) {
  auto& s = RequireBodies(model.tree(), tree, Stage::kPosition, "the rows of loops");
  for (const RigidRows& rows : cluster.rigid) {
    const MovingPoint<T> A = PointOn<T>(rows.A.end, s), B = PointOn<T>(rows.B.end, s);
    const V3<T> apart = FromReference<T>(model.tree(), A, B.body, s) - B.p;
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
  auto& s = RequireBodies(model.tree(), tree, Stage::kPosition, "the rows of loops");
  K.setZero();
  for (const RigidRows& rows : cluster.rigid) {
    const auto add = [&](const Leg& leg, double sign) {
      ForEachColumn(TreeOf(model.tree()), leg, PointOn<T>(leg.end, s).p, s,
                    [&](int k, const Motion<T>& column) {
                      AddColumn<T>(model, cluster, rows, k, sign, column, K);
                    });
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
  auto& s = RequireBodies(model.tree(), tree, Stage::kPosition, "the rows of loops");
  Kdot.setZero();
  for (const RigidRows& rows : cluster.rigid) {
    AddLegRates<T>(model, cluster, rows, rows.A, 1, s, v, Kdot);
    AddLegRates<T>(model, cluster, rows, rows.B, -1, s, v, Kdot);
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
  auto& s = RequireBodies(model.tree(), tree, Stage::kPosition, "the rows of loops");
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
