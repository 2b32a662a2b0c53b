// An arm whose tool is held at its place, then hits a wall: frames of one's own, accelerations in
// the frame's axes, external wrenches, constraint forces and impulses.
#include <cstdio>
#include <vector>

#include "civita/constrained_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/model.h"
#include "civita/rnea.h"

int main() {
  civita::ModelBuilder builder;
  const Eigen::Matrix3d inertia = Eigen::Vector3d(0.02, 0.03, 0.04).asDiagonal();
  int body = civita::ModelBuilder::kWorld;
  for (const char* name : {"upper_arm", "forearm", "hand"}) {
    const double length = body == civita::ModelBuilder::kWorld ? 0 : 0.4;
    body = builder.AddBody(name, body, {.p = {0, 0, length}}, {2, {0, 0, 0.2}, inertia});
    builder.AddJoint(body, civita::JointType::kUniversal,
                     {.name = name, .position_lower = -2, .position_upper = 2});
  }
  const civita::Model arm = builder.Build();
  const civita::Model model = arm.WithFrame("tool", arm.FindFrame("hand"), {.p = {0, 0, 0.3}});
  const civita::Model::NamedFrame& tool = model.FindFrame("tool");

  Eigen::VectorXd q(model.nq()), vdot(model.nv());
  civita::RandomPosition(model, 1, q);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(model.nv(), -1, 1);
  const Eigen::VectorXd tau = Eigen::VectorXd::LinSpaced(model.nv(), 3, -2);
  civita::Workspace<double> workspace(model);
  civita::UpdateKinematics(model, q, v, workspace);

  // Held where it is: no acceleration, and its force explains the torques.
  civita::ConstrainedDynamics held(model, {.rigid = {{.name = "hold", .B = tool}}}, q);
  Eigen::VectorXd force(held.num_rows()), torques(model.nv());
  if (!held.Update(workspace)) return 1;
  if (!held.CalcForwardDynamics(tau, workspace, vdot, force)) return 1;
  const Eigen::Vector3d acceleration =
      civita::CalcFrameClassicalAcceleration(model, tool, civita::ReferenceFrame::kLocal, vdot,
                                             workspace)
          .tail<3>();
  const std::vector<civita::ExternalForce<double>> forces = {
      civita::ForceOnFrame(tool, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), force)};
  civita::CalcInverseDynamics(model, vdot, workspace, torques, forces);
  const double error = (torques - tau).norm();
  std::printf("held by %.2f N: acceleration %.1e m/s^2, torques less inverse dynamics %.1e N m\n",
              force.norm(), acceleration.norm(), error);

  // A wall that gives half of the speed back.
  Eigen::VectorXd after(model.nv()), impulse(held.num_rows());
  if (!held.CalcImpulse(v, 0.5, after, impulse)) return 1;
  const double speed = (held.J() * v).norm();
  const double wrong = (held.J() * after + 0.5 * held.J() * v).norm();
  std::printf("hit at %.2f m/s: impulse %.2f N s, speed less half of it %.1e m/s\n", speed,
              impulse.norm(), wrong);
  return acceleration.norm() < 1e-9 && error < 1e-9 && wrong < 1e-9 ? 0 : 1;
}
