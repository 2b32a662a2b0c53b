#pragma once

#include <Eigen/Core>

#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"

namespace civita {

/// The core's results at one state, for tests to compare.
struct CoreDynamics {
  Eigen::MatrixXd H, H_of_C, C, Hdot;
  Eigen::VectorXd g, bias;
  double kinetic_energy = 0, potential_energy = 0;
};

inline CoreDynamics CalcCoreDynamics(const Model& model, const Eigen::VectorXd& q,
                                     const Eigen::VectorXd& v,
                                     const Factorization& factorization = {}) {
  CoreDynamics out;
  const int nv = model.nv();
  // NaN reveals numbers that a function does not write.
  out.H = out.H_of_C = out.C = out.Hdot = Eigen::MatrixXd::Constant(nv, nv, NAN);
  out.g = out.bias = Eigen::VectorXd::Constant(nv, NAN);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  CalcMassMatrix(model, workspace, out.H);
  CalcMassMatrixDerivative(model, workspace, out.Hdot);
  CalcGravityForces(model, workspace, out.g);
  CalcBiasForces(model, workspace, out.bias);
  out.kinetic_energy = CalcKineticEnergy(model, workspace);
  out.potential_energy = CalcPotentialEnergy(model, workspace);
  CalcCoriolisMatrix(model, factorization, workspace, {.C = out.C, .H = out.H_of_C});
  return out;
}

inline Eigen::VectorXd CalcCoreInverseDynamics(const Model& model, const Eigen::VectorXd& q,
                                               const Eigen::VectorXd& v,
                                               const Eigen::VectorXd& vdot) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  Eigen::VectorXd tau(model.nv());
  CalcInverseDynamics(model, vdot, workspace, tau);
  return tau;
}

}  // namespace civita
