// A four-bar linkage, built in code: crank, coupler and rocker hang together in a tree, and a
// constraint pins the coupler's end to the rocker's. One independent velocity, w = the crank's.
#include <cmath>
#include <cstdio>

#include "civita/model.h"
#include "civita/space_dynamics.h"
#include "civita/velocity_space.h"

int main() {
  civita::ModelBuilder builder;
  // A bar along x with its joint, about y, at `x` in the parent.
  const auto bar = [&](const char* name, int parent, double x, double length) {
    const civita::MassProperties mass{
        .mass = length,
        .com = {length / 2, 0, 0},
        .inertia = Eigen::Vector3d(0, 1, 1).asDiagonal() * (length * length * length / 12)};
    const int body = builder.AddBody(name, parent, {.p = {x, 0, 0}}, mass);
    builder.AddJoint(body, civita::JointType::kHinge, {.name = name, .axis = {0, -1, 0}});
    return body;
  };
  const int crank = bar("crank", civita::ModelBuilder::kWorld, 0, 0.3);
  bar("coupler", crank, 0.3, 0.8);
  bar("rocker", civita::ModelBuilder::kWorld, 1, 0.6);
  const civita::Model tree = builder.Build();
  civita::Constraints loops;
  loops.rigid.push_back({.name = "pin",
                         .A = tree.FindFrame("coupler"),
                         .B = tree.FindFrame("rocker"),
                         .point_A = {0.8, 0, 0},
                         .point_B = {0.6, 0, 0}});
  // Angles near the assembly that is meant; the loop is closed from there.
  const civita::VelocitySpace linkage(
      tree, loops, {.independent = {"crank"}, .start = Eigen::Vector3d(1.2, -0.7, 1.8)});
  civita::SpaceWorkspace<double> workspace(linkage);
  std::printf("%d velocities of the tree, independent: %s\n", linkage.nv(),
              linkage.Names().front().c_str());

  // H̄ is 2 T at w = 1, so that H̄ of two cranks' angles and C̄ between them must agree.
  const auto reduced = [&](double angle, Eigen::MatrixXd& C, Eigen::MatrixXd& H) {
    Eigen::VectorXd q = linkage.closed_start();
    q[0] = angle;
    if (!civita::CloseLoops(linkage, workspace, q).ok()) return false;
    const Eigen::VectorXd w = Eigen::VectorXd::Ones(1);
    if (!civita::UpdateKinematics(linkage, q, w, workspace).ok()) return false;
    civita::CalcCoriolisMatrix(linkage, civita::Factorization{}, workspace, {.C = C, .H = H});
    return true;
  };
  const double angle = linkage.closed_start()[0], step = 1e-4;
  Eigen::MatrixXd C(1, 1), H(1, 1), H_before(1, 1), H_after(1, 1), unused(1, 1);
  if (!reduced(angle - step, unused, H_before) || !reduced(angle + step, unused, H_after) ||
      !reduced(angle, C, H)) {
    return 1;
  }
  const double difference = (H_after(0, 0) - H_before(0, 0)) / (2 * step);
  std::printf("H = %.6f kg·m²   2C = %.6f, by differences of H %.6f\n", H(0, 0), 2 * C(0, 0),
              difference);
  return std::abs(2 * C(0, 0) - difference) < 1e-6 && std::abs(C(0, 0)) > 1e-3 ? 0 : 1;
}
