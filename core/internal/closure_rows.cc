#include "core/internal/closure_rows.h"

#include <Eigen/Geometry>

#include "core/internal/path.h"
#include "core/internal/scalars.h"

namespace civita::internal {

namespace {

using Cluster = ClusterModel::Cluster;
using Leg = ClusterModel::Leg;

/// Pose of a leg's end, from the reference point of its tree.
template <typename T>
void CalcEnd(const Leg& leg, const Workspace<T>& tree, Matrix3<T>* R, Vector3<T>* p) {
  *R = leg.X_BE.R.template cast<T>();
  *p = leg.X_BE.p.template cast<T>();
  if (leg.end < 0) return;
  const typename Workspace<T>::Body& body = tree.bodies[static_cast<size_t>(leg.end)];
  *p = body.r + body.R_WB * *p;
  *R = body.R_WB * *R;
}

/// What the reference point of the leg's tree adds; the same of both legs of one tree.
template <typename T>
Vector3<T> ReferencePoint(const ClusterModel& model, const Leg& leg, const Workspace<T>& tree) {
  if (leg.end < 0) return Vector3<T>::Zero();
  const int root = model.tree().bodies()[static_cast<size_t>(leg.end)].root;
  return tree.bodies[static_cast<size_t>(root)].origin;
}

/// The rotation vector of R to first order, 2 sin(θ/2) times the axis.
template <typename T>
Vector3<T> RotationError(const Matrix3<T>& R) {
  const Eigen::Quaternion<T> quaternion(R);
  return (quaternion.w() < T(0) ? T(-2) : T(2)) * quaternion.vec();
}

/// Adds sign times the columns of a leg's coordinates: those of the point p, in units of `length`,
/// then of the rotation. `column(k)` is Φ_k or Φ̇_k about the reference point, with pdot's share.
template <typename T, typename Column>
void AddLeg(const ClusterModel& model, const Cluster& cluster, const ClusterModel::FrameRows& rows,
            const Leg& leg, double sign, MatrixOut<T>& K, Column column) {
  for (const int b : leg.path) {
    const Model::Body& body = model.tree().bodies()[static_cast<size_t>(b)];
    for (int k = body.iv; k < body.iv + body.nv; ++k) {
      const Motion<T> x = column(body, k);  // [angular; velocity of the point]
      const T scale = T(sign * model.unit(k));
      K.col(model.column(k)).template segment<3>(rows.row) += scale / T(cluster.length) * x.u;
      if (rows.fixes_rotation) {
        K.col(model.column(k)).template segment<3>(rows.row + 3) += scale * x.w;
      }
    }
  }
}

template <typename T>
void AddLegRows(const ClusterModel& model, const Cluster& cluster,
                const ClusterModel::FrameRows& rows, const Leg& leg, double sign,
                const Workspace<T>& tree, MatrixOut<T>& K) {
  Matrix3<T> R;
  Vector3<T> p;
  CalcEnd(leg, tree, &R, &p);
  AddLeg<T>(model, cluster, rows, leg, sign, K, [&](const Model::Body&, int k) {
    const Motion<T>& Phi = tree.Phi[static_cast<size_t>(k)];
    return Motion<T>{Phi.w, Phi.u + Phi.w.cross(p)};
  });
}

/// d/dt [ω_k; u_k + ω_k × p] = [ω̇_k; u̇_k + ω̇_k × p + ω_k × ṗ], seen from the body that carries both
/// legs: velocities along the leg begin at zero.
template <typename T>
void AddLegRates(const ClusterModel& model, const Cluster& cluster,
                 const ClusterModel::FrameRows& rows, const Leg& leg, double sign,
                 const Workspace<T>& tree, VectorIn<T> v, MatrixOut<T>& Kdot) {
  Matrix3<T> R;
  Vector3<T> p;
  CalcEnd(leg, tree, &R, &p);
  const auto velocity_of_joint = [&](const Model::Body& body) {
    Motion<T> V = Motion<T>::Zero();
    for (int k = body.iv; k < body.iv + body.nv; ++k) V += tree.Phi[static_cast<size_t>(k)] * v[k];
    return V;
  };
  Motion<T> V_end = Motion<T>::Zero();
  for (const int b : leg.path) {
    V_end += velocity_of_joint(model.tree().bodies()[static_cast<size_t>(b)]);
  }
  const Vector3<T> pdot = V_end.u + V_end.w.cross(p);
  Motion<T> V = Motion<T>::Zero();
  AddLeg<T>(model, cluster, rows, leg, sign, Kdot, [&](const Model::Body& body, int k) {
    if (k == body.iv) V += velocity_of_joint(body);
    const Motion<T>& Phi = tree.Phi[static_cast<size_t>(k)];
    // The translations of a free joint are carried by the world, everything else by the body.
    const bool fixed = body.joint == JointType::kFree && k < body.iv + 3;
    const Motion<T> rate = fixed ? Motion<T>::Zero() : Cross(V, Phi);
    return Motion<T>{rate.w, rate.u + rate.w.cross(p) + Phi.w.cross(pdot)};
  });
}

/// p, p′ and p″ of a polynomial at x.
template <typename T>
std::array<T, 3> Evaluate(const std::array<double, 5>& polynomial, const T& x) {
  std::array<T, 3> p{T(0), T(0), T(0)};
  for (size_t n = polynomial.size(); n-- > 0;) {
    p[2] = p[2] * x + T(2) * p[1];
    p[1] = p[1] * x + p[0];
    p[0] = p[0] * x + T(polynomial[n]);
  }
  return p;
}

template <typename T>
std::array<T, 3> Evaluate(const ClusterModel::JointRow& row, VectorIn<T> q) {
  const T x = row.leader_iq < 0 ? T(0) : q[row.leader_iq] - T(row.leader_reference);
  return Evaluate<T>(row.polynomial, x);
}

}  // namespace

template <typename T>
void CalcGap(const ClusterModel& model, const ClusterModel::Cluster& cluster,
             const Workspace<T>& tree, VectorIn<T> q, VectorOut<T> gap) {
  UpdateBodies(model.tree(), tree);
  for (const ClusterModel::FrameRows& rows : cluster.frames) {
    Matrix3<T> R_a, R_b;
    Vector3<T> p_a, p_b;
    CalcEnd(rows.a, tree, &R_a, &p_a);
    CalcEnd(rows.b, tree, &R_b, &p_b);
    const Vector3<T> between =
        ReferencePoint(model, rows.a, tree) - ReferencePoint(model, rows.b, tree);
    gap.template segment<3>(rows.row) = (between + p_a - p_b) / T(cluster.length);
    if (rows.fixes_rotation) {
      gap.template segment<3>(rows.row + 3) = RotationError<T>(Matrix3<T>(R_a * R_b.transpose()));
    }
  }
  for (const ClusterModel::JointRow& row : cluster.joints) {
    gap[row.row] = (q[row.iq] - T(row.reference) - Evaluate<T>(row, q)[0]) / T(model.unit(row.iv));
  }
}

template <typename T>
void CalcRows(const ClusterModel& model, const ClusterModel::Cluster& cluster,
              const Workspace<T>& tree, VectorIn<T> q, MatrixOut<T> K) {
  UpdateBodies(model.tree(), tree);
  K.setZero();
  for (const ClusterModel::FrameRows& rows : cluster.frames) {
    AddLegRows<T>(model, cluster, rows, rows.a, 1, tree, K);
    AddLegRows<T>(model, cluster, rows, rows.b, -1, tree, K);
  }
  for (const ClusterModel::JointRow& row : cluster.joints) {
    K(row.row, model.column(row.iv)) += T(1);
    if (row.leader_iv < 0) continue;
    const T ratio = T(model.unit(row.leader_iv) / model.unit(row.iv));
    K(row.row, model.column(row.leader_iv)) -= ratio * Evaluate<T>(row, q)[1];
  }
}

template <typename T>
void CalcRowRates(const ClusterModel& model, const ClusterModel::Cluster& cluster,
                  const Workspace<T>& tree, VectorIn<T> q, VectorIn<T> v, MatrixOut<T> Kdot) {
  UpdateBodies(model.tree(), tree);
  Kdot.setZero();
  for (const ClusterModel::FrameRows& rows : cluster.frames) {
    AddLegRates<T>(model, cluster, rows, rows.a, 1, tree, v, Kdot);
    AddLegRates<T>(model, cluster, rows, rows.b, -1, tree, v, Kdot);
  }
  for (const ClusterModel::JointRow& row : cluster.joints) {
    if (row.leader_iv < 0) continue;
    const T ratio = T(model.unit(row.leader_iv) / model.unit(row.iv));
    Kdot(row.row, model.column(row.leader_iv)) -= ratio * Evaluate<T>(row, q)[2] * v[row.leader_iv];
  }
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template void CalcGap<T>(const ClusterModel&, const ClusterModel::Cluster&, const Workspace<T>&, \
                           VectorIn<T>, VectorOut<T>);                                             \
  template void CalcRows<T>(const ClusterModel&, const ClusterModel::Cluster&,                     \
                            const Workspace<T>&, VectorIn<T>, MatrixOut<T>);                       \
  template void CalcRowRates<T>(const ClusterModel&, const ClusterModel::Cluster&,                 \
                                const Workspace<T>&, VectorIn<T>, VectorIn<T>, MatrixOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita::internal
