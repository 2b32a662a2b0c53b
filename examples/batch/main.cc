// H, C and inverse dynamics of 1000 states in one call each, on two threads, a state a vector lane.
#include <cstdio>

#include "civita/batch_dynamics.h"
#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/model.h"

int main() {
  civita::ModelBuilder builder;
  int link = civita::ModelBuilder::kWorld;
  for (int i = 0; i < 7; ++i) {
    const Eigen::Vector3d axis = i % 2 == 0 ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d::UnitY();
    link = builder.AddBody("link" + std::to_string(i), link, {.p = {0, 0, 0.2}},
                           {.mass = 2,
                            .com = {0.01, 0, 0.1},
                            .inertia = Eigen::Vector3d(0.01, 0.01, 0.002).asDiagonal()});
    builder.AddJoint(link, civita::JointType::kHinge,
                     {.name = "joint" + std::to_string(i), .axis = axis, .armature = 0.1});
  }
  const civita::Model model = builder.Build();
  const int nv = model.nv(), m = 1000;
  civita::BatchDynamics batch(model, 2);
  const Eigen::MatrixXd Q = Eigen::MatrixXd::Random(nv, m), V = Eigen::MatrixXd::Random(nv, m);
  Eigen::MatrixXd C(nv, nv * m), H(nv, nv * m), bias(nv, m), g(nv, m);
  batch.CalcCoriolisMatrices(Q, V, {.C = C, .H = H});
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(nv, m);
  batch.CalcInverseDynamics(Q, V, zero, bias);  // C v + g
  batch.CalcInverseDynamics(Q, zero, zero, g);

  // The same numbers one state at a time, and C v as inverse dynamics has it.
  double single = 0, product = 0;
  civita::Workspace<double> workspace(model);
  Eigen::MatrixXd C_s(nv, nv), H_s(nv, nv);
  for (int s = 0; s < m; ++s) {
    civita::UpdateKinematics(model, Q.col(s), V.col(s), workspace);
    civita::CalcCoriolisMatrix(model, civita::Factorization{}, workspace, {.C = C_s, .H = H_s});
    single = std::max(
        {single, (C.middleCols(nv * s, nv) - C_s).norm(), (H.middleCols(nv * s, nv) - H_s).norm()});
    product = std::max(product, (C_s * V.col(s) + g.col(s) - bias.col(s)).norm());
  }
  std::printf("%d states, %d threads, kernels %s: one by one %.1e, C v + g less the bias %.1e\n", m,
              batch.threads(), batch.instruction_set(), single, product);
  return single < 1e-11 && product < 1e-11 ? 0 : 1;
}
