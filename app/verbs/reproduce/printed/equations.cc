#include "app/verbs/reproduce/printed/equations.h"

#include <Eigen/QR>

#include "app/verbs/reproduce/printed/dense_spatial.h"
#include "civita/geometry/metric.h"
#include "civita/kinematics.h"
#include "civita/rnea.h"

namespace civita::printed {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd CalcCv(const Model& model, const VectorXd& q, const VectorXd& v) {
  Workspace<double> workspace(model);
  VectorXd bias(model.nv()), gravity(model.nv());
  UpdateKinematics(model, q, v, workspace);
  CalcBiasForces(model, workspace, bias);
  CalcGravityForces(model, workspace, gravity);
  return bias - gravity;
}

VectorXd CalcHamelForces(const Model& model, const Tensor3& constants, const VectorXd& q,
                         const VectorXd& v, const VectorXd& vdot) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, workspace);
  VectorXd gravity(model.nv());
  CalcGravityForces(model, workspace, gravity);
  const Tensor3 rates = CalcMetricRates(model, q);
  const MatrixXd H = CalcMassMatrixByInverseDynamics(model, q);
  const VectorXd p = H * v;  // ∂L/∂v
  VectorXd tau = H * vdot + Contract(rates, v) * v + gravity;
  for (int i = 0; i < model.nv(); ++i) {
    tau[i] -= 0.5 * v.dot(rates.Direction(i) * v);
    for (int k = 0; k < model.nv(); ++k) tau[i] += p[k] * constants.Direction(i).row(k).dot(v);
  }
  return tau;
}

MatrixXd CalcHalfDerivative(const Model& model, const VectorXd& q, const VectorXd& v) {
  const int n = model.nv();
  MatrixXd derivative(n, n);
  for (int k = 0; k < n; ++k) {
    const VectorXd e_k = VectorXd::Unit(n, k);
    derivative.col(k) = 0.25 * (CalcCv(model, q, v + e_k) - CalcCv(model, q, v - e_k));
  }
  return derivative;
}

MatrixXd CalcMassMatrixByInverseDynamics(const Model& model, const VectorXd& q) {
  Workspace<double> workspace(model);
  const int nv = model.nv();
  MatrixXd H(nv, nv);
  VectorXd gravity(nv), tau(nv);
  UpdateKinematics(model, q, VectorXd::Zero(nv), workspace);
  CalcGravityForces(model, workspace, gravity);
  for (int k = 0; k < nv; ++k) {
    CalcInverseDynamics(model, VectorXd::Unit(nv, k), workspace, tau);
    H.col(k) = tau - gravity;
  }
  return H;
}

MatrixXd CalcCoriolisByDifferentiation(const Model& model, const Tensor3& constants,
                                       const VectorXd& q, const VectorXd& v) {
  return CalcHalfDerivative(model, q, v) +
         0.5 * CalcMassMatrixByInverseDynamics(model, q) * Contract(constants, v);
}

MatrixXd CalcJointBrackets(const Model& model, const VectorXd& q, const VectorXd& v) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, workspace);
  const Kinematics<double> kinematics = workspace.kinematics(model);
  MatrixXd K = MatrixXd::Zero(model.nv(), model.nv());
  for (const Model::Body& body : model.bodies()) {
    MatrixXd Phi(6, body.nv);  // about the same point in the same axes for all its columns
    for (int i = 0; i < body.nv; ++i) {
      const Motion<double>& x = kinematics.Phi[body.iv + i];
      Phi.col(i) << x.w.x, x.w.y, x.w.z, x.u.x, x.u.y, x.u.z;
    }
    const dense::Vector6d moved = Phi * v.segment(body.iv, body.nv);
    K.block(body.iv, body.iv, body.nv, body.nv) =
        Phi.completeOrthogonalDecomposition().pseudoInverse() * dense::MotionCross(moved) * Phi;
  }
  return K;
}

}  // namespace civita::printed
