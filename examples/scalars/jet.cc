// H, C and inverse dynamics of numbers that carry derivatives, ceres::Jet: what a cost of Ceres
// Solver is made of. The derivatives are held against Ḣ = C + Cᵀ and against ∂τ/∂q of the library.
#include <ceres/jet.h>

#include <cstdio>

#include "arm.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/kinematics.h"
#include "civita/rnea.h"

using Jet = ceres::Jet<double, 4>;
#define CIVITA_SCALARS(INSTANTIATE) INSTANTIATE(Jet)
#include "civita/instantiate.h"

int main() {
  const civita::Model model = Arm();
  const Eigen::Vector4d q(0.4, -0.9, 1.2, 0.3), v(1, -2, 0.5, 3), vdot(2, 1, -1, 4);
  Eigen::Matrix<Jet, 4, 1> q_jet;
  for (int i = 0; i < 4; ++i) q_jet[i] = Jet(q[i], i);  // its derivatives are those by q

  civita::Workspace<Jet> moving(model);
  Eigen::Matrix<Jet, 4, 4> H_jet, C_jet;
  Eigen::Matrix<Jet, 4, 1> tau_jet;
  civita::UpdateKinematics(model, q_jet, v.cast<Jet>(), moving);
  civita::CalcCoriolisMatrix(model, {}, moving, {.C = C_jet, .H = H_jet});
  civita::CalcInverseDynamics(model, vdot.cast<Jet>(), moving, tau_jet);

  civita::Workspace<double> workspace(model);
  Eigen::Matrix4d by_q, by_v, H, C;
  civita::UpdateKinematics(model, q, v, workspace);
  civita::CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
  civita::CalcInverseDynamicsDerivatives(model, vdot, workspace, by_q, by_v, H);

  double error = 0, error_by_q = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const double Hdot = H_jet(i, j).v.dot(v);
      error = std::max(error, std::abs(Hdot - C(i, j) - C(j, i)));
      error_by_q = std::max(error_by_q, std::abs(tau_jet[i].v[j] - by_q(i, j)));
    }
  }
  std::printf("|Hdot - C - C'| = %.1e, of Jet's derivatives of H\n", error);
  std::printf("|dtau/dq - Jet's| = %.1e\n", error_by_q);
  return error < 1e-12 && error_by_q < 1e-11 ? 0 : 1;
}
