#include "civita/product_of_exponentials.h"

#include <Eigen/LU>
#include <array>

#include "civita/error.h"
#include "civita/external_forces.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"
#include "core/spatial/internal/scalars.h"

namespace civita::poe {

namespace {

/// What the surroundings do to the robot: −F_tip, in world axes. Needs Stage::kPosition.
template <typename T>
std::array<ExternalForce<T>, 1> Reaction(const Robot& robot, VectorIn<T> F_tip,
                                         Workspace<T>& workspace) {
  CIVITA_CHECK(F_tip.size() == 6, "F_tip has " << F_tip.size() << " numbers");
  const Matrix3<T> R = CalcFramePose(robot.model(), robot.tip(), workspace).R;
  return {{{.body = robot.tip().body,
            .point = robot.tip().X_BF.p.template cast<T>(),
            .moment = -(R * F_tip.template head<3>()),
            .force = -(R * F_tip.template tail<3>())}}};
}

void CheckRows(Eigen::Index rows, Eigen::Index columns, Eigen::Index N, Eigen::Index wanted,
               const char* name) {
  CIVITA_CHECK(rows == N && columns == wanted,
               name << " is " << rows << " × " << columns << ", must be " << N << " × " << wanted);
}

}  // namespace

template <typename T>
Matrix6<T> ad(const Vector6<T>& V) {
  const Matrix3<T> w = Skew<T>(V.template head<3>());
  Matrix6<T> m;
  m << w, Matrix3<T>::Zero(), Skew<T>(V.template tail<3>()), w;
  return m;
}

template <typename T>
void InverseDynamicsRnea(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                         VectorIn<T> ddtheta, VectorIn<T> F_tip, Workspace<T>& workspace,
                         VectorOut<T> tau) {
  UpdateKinematics(robot.model(), theta, dtheta, workspace);
  CalcInverseDynamics(robot.model(), ddtheta, workspace, tau, Reaction<T>(robot, F_tip, workspace));
}

template <typename T>
void InverseDynamicsTrajectory(const Robot& robot, Rows<T> theta, Rows<T> dtheta, Rows<T> ddtheta,
                               Rows<T> F_tip, Workspace<T>& workspace, MatrixOut<T> tau) {
  const Eigen::Index N = theta.rows(), n = robot.model().nv();
  CheckRows(theta.rows(), theta.cols(), N, n, "theta");
  CheckRows(dtheta.rows(), dtheta.cols(), N, n, "dtheta");
  CheckRows(ddtheta.rows(), ddtheta.cols(), N, n, "ddtheta");
  CheckRows(F_tip.rows(), F_tip.cols(), N, 6, "F_tip");
  CheckRows(tau.rows(), tau.cols(), N, n, "tau");
  VectorX<T> torque(n);
  for (Eigen::Index i = 0; i < N; ++i) {
    InverseDynamicsRnea<T>(robot, theta.row(i).transpose(), dtheta.row(i).transpose(),
                           ddtheta.row(i).transpose(), F_tip.row(i).transpose(), workspace, torque);
    tau.row(i) = torque.transpose();
  }
}

template <typename T>
void MassMatrixCrba(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace,
                    MatrixOut<T> M) {
  UpdateKinematics(robot.model(), theta, workspace);
  CalcMassMatrix(robot.model(), workspace, M);
}

template <typename T>
void MassMatrixRnea(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace,
                    MatrixOut<T> M) {
  const int n = robot.model().nv();
  CheckRows(M.rows(), M.cols(), n, n, "M");
  UpdateKinematics(robot.weightless_model(), theta, VectorX<T>::Zero(n), workspace);
  for (int i = 0; i < n; ++i) {
    CalcInverseDynamics(robot.weightless_model(), VectorX<T>::Unit(n, i), workspace, M.col(i));
  }
}

template <typename T>
void VelocityQuadraticForces(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                             Workspace<T>& workspace, VectorOut<T> c) {
  UpdateKinematics(robot.weightless_model(), theta, dtheta, workspace);
  CalcBiasForces(robot.weightless_model(), workspace, c);
}

template <typename T>
void GravityForces(const Robot& robot, VectorIn<T> theta, Workspace<T>& workspace, VectorOut<T> g) {
  UpdateKinematics(robot.model(), theta, workspace);
  CalcGravityForces(robot.model(), workspace, g);
}

template <typename T>
void EndEffectorForces(const Robot& robot, VectorIn<T> theta, VectorIn<T> F_tip,
                       Workspace<T>& workspace, VectorOut<T> tau) {
  UpdateKinematics(robot.model(), theta, workspace);
  CalcGeneralizedForces(robot.model(), Reaction<T>(robot, F_tip, workspace), workspace, tau);
  tau = -tau;
}

template <typename T>
void ForwardDynamicsAba(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta, VectorIn<T> tau,
                        VectorIn<T> F_tip, Workspace<T>& workspace, VectorOut<T> ddtheta) {
  UpdateKinematics(robot.model(), theta, dtheta, workspace);
  CalcForwardDynamics(robot.model(), tau, workspace, ddtheta, Reaction<T>(robot, F_tip, workspace));
}

template <typename T>
Status ForwardDynamicsCrba(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta,
                           VectorIn<T> tau, VectorIn<T> F_tip, Workspace<T>& workspace,
                           MassMatrixCholesky<T>& factor, VectorOut<T> ddtheta) {
  UpdateKinematics(robot.model(), theta, dtheta, workspace);
  return CalcForwardDynamics(robot.model(), tau, workspace, factor, ddtheta,
                             Reaction<T>(robot, F_tip, workspace));
}

template <typename T>
void ForwardDynamicsRnea(const Robot& robot, VectorIn<T> theta, VectorIn<T> dtheta, VectorIn<T> tau,
                         VectorIn<T> F_tip, Workspace<T>& workspace, VectorOut<T> ddtheta) {
  const int n = robot.model().nv();
  MatrixX<T> M(n, n);
  VectorX<T> c(n), g(n), tip(n);
  MassMatrixRnea<T>(robot, theta, workspace, M);
  VelocityQuadraticForces<T>(robot, theta, dtheta, workspace, c);
  GravityForces<T>(robot, theta, workspace, g);
  EndEffectorForces<T>(robot, theta, F_tip, workspace, tip);
  ddtheta = M.partialPivLu().solve(tau - c - g - tip);
}

template <typename T>
void EulerStep(VectorIn<T> ddtheta, T dt, VectorOut<T> theta, VectorOut<T> dtheta) {
  theta += dtheta * dt;
  dtheta += ddtheta * dt;
}

template <typename T>
void ForwardDynamicsTrajectory(const Robot& robot, VectorIn<T> theta_0, VectorIn<T> dtheta_0,
                               Rows<T> tau, Rows<T> F_tip, std::type_identity_t<T> dt,
                               int resolution, Workspace<T>& workspace, MatrixOut<T> theta,
                               MatrixOut<T> dtheta) {
  const Eigen::Index N = tau.rows(), n = robot.model().nv();
  CheckRows(tau.rows(), tau.cols(), N, n, "tau");
  CheckRows(F_tip.rows(), F_tip.cols(), N, 6, "F_tip");
  CheckRows(theta.rows(), theta.cols(), N, n, "theta");
  CheckRows(dtheta.rows(), dtheta.cols(), N, n, "dtheta");
  CIVITA_CHECK(resolution >= 1, "resolution is " << resolution);
  VectorX<T> position = theta_0, velocity = dtheta_0, acceleration(n);
  for (Eigen::Index i = 0; i < N; ++i) {
    theta.row(i) = position.transpose();
    dtheta.row(i) = velocity.transpose();
    for (int step = 0; step < resolution && i + 1 < N; ++step) {
      ForwardDynamicsAba<T>(robot, position, velocity, tau.row(i).transpose(),
                            F_tip.row(i).transpose(), workspace, acceleration);
      EulerStep<T>(acceleration, dt / T(resolution), position, velocity);
    }
  }
}

#define CIVITA_INSTANTIATE(T)                                                                     \
  template Matrix6<T> ad<T>(const Vector6<T>&);                                                   \
  template void InverseDynamicsRnea<T>(const Robot&, VectorIn<T>, VectorIn<T>, VectorIn<T>,       \
                                       VectorIn<T>, Workspace<T>&, VectorOut<T>);                 \
  template void InverseDynamicsTrajectory<T>(const Robot&, Rows<T>, Rows<T>, Rows<T>, Rows<T>,    \
                                             Workspace<T>&, MatrixOut<T>);                        \
  template void MassMatrixCrba<T>(const Robot&, VectorIn<T>, Workspace<T>&, MatrixOut<T>);        \
  template void MassMatrixRnea<T>(const Robot&, VectorIn<T>, Workspace<T>&, MatrixOut<T>);        \
  template void VelocityQuadraticForces<T>(const Robot&, VectorIn<T>, VectorIn<T>, Workspace<T>&, \
                                           VectorOut<T>);                                         \
  template void GravityForces<T>(const Robot&, VectorIn<T>, Workspace<T>&, VectorOut<T>);         \
  template void EndEffectorForces<T>(const Robot&, VectorIn<T>, VectorIn<T>, Workspace<T>&,       \
                                     VectorOut<T>);                                               \
  template void ForwardDynamicsAba<T>(const Robot&, VectorIn<T>, VectorIn<T>, VectorIn<T>,        \
                                      VectorIn<T>, Workspace<T>&, VectorOut<T>);                  \
  template Status ForwardDynamicsCrba<T>(const Robot&, VectorIn<T>, VectorIn<T>, VectorIn<T>,     \
                                         VectorIn<T>, Workspace<T>&, MassMatrixCholesky<T>&,      \
                                         VectorOut<T>);                                           \
  template void ForwardDynamicsRnea<T>(const Robot&, VectorIn<T>, VectorIn<T>, VectorIn<T>,       \
                                       VectorIn<T>, Workspace<T>&, VectorOut<T>);                 \
  template void EulerStep<T>(VectorIn<T>, T, VectorOut<T>, VectorOut<T>);                         \
  template void ForwardDynamicsTrajectory<T>(const Robot&, VectorIn<T>, VectorIn<T>, Rows<T>,     \
                                             Rows<T>, T, int, Workspace<T>&, MatrixOut<T>,        \
                                             MatrixOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita::poe
