// Slotine and Li's law at 1 kHz on a planar arm of three links, without a simulator:
//   τ = H v̇_r + C v_r + g − K_D s,   s = v − v_r,   v_r = v_d − Λ (q − q_d)
// V = ½ sᵀH s falls by V̇ = −K_D sᵀs, whatever the factorization of C.
#include <cmath>
#include <cstdio>

#include "civita/forward_dynamics.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "civita/model.h"
#include "civita/passivity_rnea.h"

using Eigen::Vector3d;

civita::Model MakeArm() {
  civita::ModelBuilder builder;
  int link = civita::ModelBuilder::kWorld;
  for (const char* name : {"shoulder", "elbow", "wrist"}) {
    const double below = link < 0 ? 0 : -0.4;  // m
    link = builder.AddBody(name, link, {.p = {0, 0, below}},
                           {.mass = 1,  // kg
                            .com = {0, 0, -0.2},
                            .inertia = Vector3d(0.02, 0.02, 0.001).asDiagonal()});
    builder.AddJoint(link, civita::JointType::kHinge, {.name = name, .axis = {0, 1, 0}});
  }
  return builder.Build();
}

int main() {
  const civita::Model arm = MakeArm();
  civita::Workspace<double> workspace(arm);
  const double dt = 0.001, Lambda = 8, K_D = 3;
  const civita::Factorization factorization;  // the Christoffel-consistent C
  Eigen::VectorXd q = Vector3d(0.5, -0.8, 0.3), v = Vector3d(1, 0, -1), tau(3), vdot(3);
  Eigen::MatrixXd H(3, 3);
  double first = 0, V = 0;
  bool falls = true;
  for (int k = 0; k <= 2000; ++k) {
    const double t = k * dt;
    const Vector3d q_d = std::sin(2 * t) * Vector3d::Ones();
    const Vector3d v_d = 2 * std::cos(2 * t) * Vector3d::Ones(), vdot_d = -4 * q_d;
    const Vector3d v_r = v_d - Lambda * (q - q_d), vdot_r = vdot_d - Lambda * (v - v_d);
    const Vector3d s = v - v_r;
    civita::UpdateKinematics(arm, q, v, workspace);
    civita::CalcPassivityInverseDynamics(arm, factorization, v_r, vdot_r, workspace, tau);
    tau -= K_D * s;
    civita::CalcMassMatrix(arm, workspace, H);
    const double before = V;
    V = 0.5 * s.dot(H * s);
    if (k == 0) first = V;
    falls = falls && (k == 0 || V < before || V < 1e-3 * first);
    if (k % 400 == 0) std::printf("t = %.1f s   V = %.3e J\n", t, V);
    civita::CalcForwardDynamics(arm, tau, workspace, vdot);
    v += vdot * dt;
    civita::IntegratePosition(arm, q, v, dt, q);
  }
  return falls && V < 1e-3 * first ? 0 : 1;
}
