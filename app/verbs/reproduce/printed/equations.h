#pragma once

#include <Eigen/Core>

#include "civita/model.h"
#include "civita/tensor3.h"

// Equations of [WES] in their own terms, with no Coriolis matrix of the core in them. The structure
// constants c(l, j, k) = c^l_jk, [e_j, e_k] = Σ_l c^l_jk e_l, are those of CalcStructureConstants.

namespace civita::printed {

/// τ_i = d/dt ∂L/∂v_i + c^k_ij v_j ∂L/∂v_k − e_i(L), Hamel's equations, (6), with L = ½vᵀHv − V:
/// from the metric and its rates by dual numbers, and gravity.
Eigen::VectorXd CalcHamelForces(const Model& model, const Tensor3& constants,
                                const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                const Eigen::VectorXd& vdot);

/// C v by inverse dynamics, without gravity.
Eigen::VectorXd CalcCv(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// ½ ∂(C v)_i/∂v_k, the common term of (29) to (32): C v by inverse dynamics, its derivative by
/// differences, which are exact for a quadratic function.
Eigen::MatrixXd CalcHalfDerivative(const Model& model, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& v);

/// H by inverse dynamics: its columns are the forces for unit accelerations.
Eigen::MatrixXd CalcMassMatrixByInverseDynamics(const Model& model, const Eigen::VectorXd& q);

/// C = ½[∂(C v)/∂v + H K] of (30), K_lk = c^l_jk v_j.
Eigen::MatrixXd CalcCoriolisByDifferentiation(const Model& model, const Tensor3& constants,
                                              const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// K of (32), block by block of the joints: K_i = Ψ_iᵀ (Φ_i v_i)× Φ_i, Ψ_i dual to Φ_i. For bodies
/// whose Φ_i is constant in their own axes, which those of free joints are not.
Eigen::MatrixXd CalcJointBrackets(const Model& model, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v);

}  // namespace civita::printed
