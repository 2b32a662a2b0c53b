// Christoffel symbols Γ of a chain of three ball joints, nine velocities: C = Γ·v, Ḣ = C + Cᵀ, and
// what a factorization with torsion changes.
#include <cstdio>

#include "civita/christoffel.h"
#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "civita/model.h"

int main() {
  civita::ModelBuilder builder;
  int link = civita::ModelBuilder::kWorld;
  for (int i = 0; i < 3; ++i) {
    link = builder.AddBody("link" + std::to_string(i), link, {.p = {0, 0, -0.3}},
                           {.mass = 1,
                            .com = {0.05, 0, -0.15},
                            .inertia = Eigen::Vector3d(0.01, 0.012, 0.005).asDiagonal()});
    builder.AddJoint(link, civita::JointType::kBall, {.name = "ball" + std::to_string(i)});
  }
  const civita::Model model = builder.Build();
  const int nv = model.nv();
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(nv, -1, 1.5);
  Eigen::VectorXd q(model.nq());
  civita::IntegratePosition(model, model.DefaultPosition(), v, 0.7, q);

  civita::Workspace<double> workspace(model);
  civita::UpdateKinematics(model, q, v, workspace);
  civita::Tensor3 Gamma(nv);
  civita::CalcChristoffelSymbols(model, workspace, Gamma);
  Eigen::MatrixXd H(nv, nv), Hdot(nv, nv), C(nv, nv), C_plain(nv, nv);
  civita::CalcCoriolisMatrix(model, civita::Factorization{}, workspace, {.C = C, .H = H});
  civita::CalcMassMatrixDerivative(model, workspace, Hdot);
  const Eigen::MatrixXd contracted = civita::Contract(Gamma, v);  // Σ_j Γ_ijk v_j
  civita::Factorization plain;
  plain.t = 1;  // (ξ×*)I of each body, which has torsion
  civita::CalcCoriolisMatrix(model, plain, workspace, {.C = C_plain, .H = H});
  const double contraction = (contracted - C).norm(), rate = (Hdot - C - C.transpose()).norm();
  const double rate_plain = (Hdot - C_plain - C_plain.transpose()).norm();
  const double difference = (C_plain - C).norm(), product = ((C_plain - C) * v).norm();
  std::printf("|Γ·v − C| = %.1e   |Ḣ − C − Cᵀ| = %.1e, of the plain C %.1e\n", contraction, rate,
              rate_plain);
  std::printf("|C_plain − C| = %.2f, but |C_plain v − C v| = %.1e\n", difference, product);
  const bool exact = contraction < 1e-12 && rate < 1e-12 && rate_plain < 1e-12 && product < 1e-12;
  return exact && difference > 0.01 ? 0 : 1;
}
