// ∂τ/∂q and ∂τ/∂v of a floating body with a leg, against central differences on the manifold. q has
// a quaternion, the derivatives a column for each of the velocities.
#include <cstdio>

#include "civita/dynamics_derivatives.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/model.h"
#include "civita/rnea.h"

int main() {
  civita::ModelBuilder builder;
  const Eigen::Matrix3d inertia = Eigen::Vector3d(0.02, 0.03, 0.04).asDiagonal();
  const int base = builder.AddBody("base", civita::ModelBuilder::kWorld, {}, {5, {}, inertia});
  builder.AddJoint(base, civita::JointType::kFree, {.name = "base"});
  const int thigh = builder.AddBody("thigh", base, {.p = {0.2, 0, 0}}, {1, {0, 0, -0.1}, inertia});
  builder.AddJoint(thigh, civita::JointType::kHinge, {.name = "hip", .axis = {0, 1, 0}});
  const int shank =
      builder.AddBody("shank", thigh, {.p = {0, 0, -0.2}}, {0.5, {0, 0, -0.1}, inertia});
  builder.AddJoint(shank, civita::JointType::kHinge, {.name = "knee", .axis = {0, 1, 0}});
  const civita::Model model = builder.Build();
  const int nv = model.nv();

  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(nv, -1, 1);
  const Eigen::VectorXd vdot = Eigen::VectorXd::LinSpaced(nv, 2, -2);
  Eigen::VectorXd q(model.nq());
  civita::IntegratePosition(model, model.DefaultPosition(), v, 0.8, q);
  civita::Workspace<double> workspace(model);
  const auto tau = [&](const Eigen::VectorXd& q_at, const Eigen::VectorXd& v_at) {
    Eigen::VectorXd out(nv);
    civita::UpdateKinematics(model, q_at, v_at, workspace);
    civita::CalcInverseDynamics(model, vdot, workspace, out);
    return out;
  };
  Eigen::MatrixXd by_q(nv, nv), by_v(nv, nv), H(nv, nv);
  civita::UpdateKinematics(model, q, v, workspace);
  civita::CalcInverseDynamicsDerivatives(model, vdot, workspace, by_q, by_v, H);

  const double step = 1e-6;
  double error_q = 0, error_v = 0;
  Eigen::VectorXd before(model.nq()), after(model.nq());
  for (int j = 0; j < nv; ++j) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(nv, j);
    civita::IntegratePosition(model, q, e, step, after);
    civita::IntegratePosition(model, q, e, -step, before);
    const Eigen::VectorXd rate_q = (tau(after, v) - tau(before, v)) / (2 * step);
    const Eigen::VectorXd rate_v = (tau(q, v + step * e) - tau(q, v - step * e)) / (2 * step);
    error_q = std::max(error_q, (by_q.col(j) - rate_q).norm());
    error_v = std::max(error_v, (by_v.col(j) - rate_v).norm());
  }
  std::printf("|dtau/dq| = %.2f, less differences %.1e\n", by_q.norm(), error_q);
  std::printf("|dtau/dv| = %.2f, less differences %.1e\n", by_v.norm(), error_v);
  return error_q < 1e-7 && error_v < 1e-7 ? 0 : 1;
}
