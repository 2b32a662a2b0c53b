#include "civita/controllers/legs/leg_kinematics.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "civita/centroidal.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/spatial.h"

namespace civita {
namespace {

Eigen::Vector3d MeanPoint(const Foot& foot) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& point : foot.points) mean += point;
  return mean / static_cast<double>(foot.points.size());
}

/// A flat foot rotates about its sole. A rolling ball touches the ground below its centre: J_p =
/// J_center − r [J_w]×z, and z does not rotate with the foot.
void UpdateFoot(const Model& model, const Foot& foot, Workspace<double>& workspace,
                FootKinematics& now) {
  const Eigen::Vector3d below(0, 0, -foot.radius);
  const Eigen::Vector3d center = MeanPoint(foot);
  const Pose pose = CalcFramePose(model, foot.frame, workspace);
  const Eigen::Vector3d point = foot.flat() ? Eigen::Vector3d(center + below) : center;
  CalcFrameJacobian<double>(model, {foot.frame, point}, workspace, now.J);
  CalcFrameJacobianDerivative<double>(model, {foot.frame, point}, workspace, now.Jdot);
  if (!foot.flat()) {
    now.J.bottomRows<3>().noalias() -= Skew(below) * now.J.topRows<3>();
    now.Jdot.bottomRows<3>().noalias() -= Skew(below) * now.Jdot.topRows<3>();
  }
  now.R = pose.R;
  now.p = pose.p + pose.R * point;
  if (!foot.flat()) now.p += below;
  now.w.noalias() = now.J.topRows<3>() * workspace.v();
  now.v.noalias() = now.J.bottomRows<3>() * workspace.v();
  now.pdot = now.v;
  if (!foot.flat()) now.pdot -= now.w.cross(below);
  for (size_t k = 0; k < foot.points.size(); ++k) {
    now.contacts[k] = pose.p + pose.R * foot.points[k] + below;
  }
}

/// The first rows of H are the momentum [linear, world axes; angular about the base's origin, its
/// own axes] by velocities, and Ḣ = C + Cᵀ.
void UpdateMass(const CoriolisIn<double>& in, const Eigen::VectorXd& v, bool has_momentum,
                LegKinematics& now) {
  now.J_com = in.H.topRows<3>() / now.mass;
  now.Jdot_com = (in.C.topRows<3>() + in.C.leftCols<3>().transpose()) / now.mass;
  now.cdot.noalias() = now.J_com * v;
  // A turning base moves the centre of mass at ω × r.
  const Eigen::Matrix3d& R = now.R_base;
  const Eigen::Matrix3d r_cross = -now.J_com.middleCols<3>(3) * R.transpose();
  const Eigen::Vector3d r(r_cross(2, 1), r_cross(0, 2), r_cross(1, 0));
  now.c = now.p_base + r;
  if (!has_momentum) return;
  const Eigen::Vector3d rdot = now.cdot - now.v_base, w = R * now.w_base;
  for (Eigen::Index k = 0; k < v.size(); ++k) {
    const auto H = in.H.col(k).head<6>(), C = in.C.col(k).head<6>();
    const Eigen::Matrix<double, 6, 1> Hdot = C + in.C.row(k).head<6>().transpose();
    const Eigen::Vector3d P = H.head<3>(), L = R * H.tail<3>();
    const Eigen::Vector3d Pdot = Hdot.head<3>(), Ldot = R * Hdot.tail<3>() + w.cross(L);
    now.A_G.col(k) << L - r.cross(P), P;
    now.Adot_G.col(k) << Ldot - rdot.cross(P) - r.cross(Pdot), Pdot;
  }
}

}  // namespace

LegKinematics::LegKinematics(const Model& model, const LegOptions& legs)
    : mass(CalcTotalMass(model)),
      J_com(Eigen::MatrixXd::Zero(3, model.nv())),
      Jdot_com(J_com),
      A_G(Eigen::MatrixXd::Zero(6, model.nv())),
      Adot_G(A_G) {
  const auto num_trees = std::ranges::count(model.bodies(), -1, &Model::Body::parent);
  base_moves_all = num_trees == 1 && model.armature().head(6).isZero(0);
  for (const Foot& foot : legs.feet) {
    FootKinematics& now = feet.emplace_back();
    now.J = now.Jdot = Eigen::MatrixXd::Zero(6, model.nv());
    now.contacts.resize(foot.points.size());
  }
}

Point2 LegKinematics::FeetCenter() const {
  Point2 center = Point2::Zero();
  for (const FootKinematics& foot : feet) center += foot.p.head<2>();
  return center / static_cast<double>(feet.size());
}

Eigen::Matrix3d TakeHome(const Model& model, const Eigen::VectorXd& q, LegOptions* legs) {
  constexpr double kSteepest = 0.9;
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, q, workspace);
  const Eigen::Matrix3d R =
      Eigen::Quaterniond(q[3], q[4], q[5], q[6]).normalized().toRotationMatrix();
  const Eigen::Vector3d ahead = R * legs->ahead.normalized();
  const double yaw = std::abs(ahead.z()) > kSteepest ? 0 : std::atan2(ahead.y(), ahead.x());
  const Eigen::Matrix3d R_yaw = Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  legs->R_home = R_yaw.transpose() * R;
  for (Foot& foot : legs->feet) {
    if (!foot.flat()) continue;
    const Eigen::Matrix3d turn = CalcFramePose(model, foot.frame, workspace).R.transpose() * R_yaw;
    foot.frame.X_BF.R = foot.frame.X_BF.R * turn;
    for (Eigen::Vector3d& point : foot.points) point = turn.transpose() * point;
  }
  return R_yaw;
}

void UpdateLegKinematics(const Model& model, const LegOptions& legs, Workspace<double>& workspace,
                         LegKinematics& now, const CoriolisIn<double>* matrices) {
  const Eigen::VectorXd& q = workspace.q();
  const Eigen::VectorXd& v = workspace.v();
  now.p_base = q.head<3>();
  now.v_base = v.head<3>();
  now.R_base = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).normalized().toRotationMatrix();
  now.w_base = v.segment<3>(3);
  const bool has_momentum = legs.momentum_weight > 0;
  if (matrices != nullptr && now.base_moves_all) {
    UpdateMass(*matrices, v, has_momentum, now);
  } else {
    now.c = CalcCenterOfMass(model, workspace);
    CalcCenterOfMassJacobian<double>(model, workspace, now.J_com);
    CalcCenterOfMassJacobianDerivative<double>(model, workspace, now.Jdot_com);
    now.cdot.noalias() = now.J_com * v;
    if (has_momentum) {
      CalcCentroidalMomentumMatrix<double>(model, workspace, now.A_G);
      CalcCentroidalMomentumMatrixDerivative<double>(model, workspace, now.Adot_G);
    }
  }
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    UpdateFoot(model, legs.feet[i], workspace, now.feet[i]);
  }
}

}  // namespace civita
