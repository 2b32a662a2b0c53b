#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/model.h"
#include "tests/oracles/tree_spec.h"

namespace civita {

/// Methods for C and Γ independent of the core's, each a few lines that follow its equation. They
/// use poses, Jacobians and inverse dynamics, but neither composite bodies nor closed forms.

/// Γ_ijk as Gamma[j](i, k): C for v = e_j.
using SymbolSlices = std::vector<Eigen::MatrixXd>;

/// C = Σ Jᵀ[B(ξ, I) J + I J̇] of [EW] (30) with B of (10), J and J̇ of the core's kinematics,
/// without armature; H = Σ Jᵀ I J of (29). O(N³).
struct JacobianRoute {
  Eigen::MatrixXd C, H;
};
JacobianRoute CalcJacobianRoute(const Model& model, const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v);

/// C = Σ Jᵀ[B(ξ, I) J + I J̊ + I (ξ×) J] of [EW] (31): J in each body's axes about its origin, J̊ its
/// rate by differences. Without armature.
Eigen::MatrixXd CalcBodyAxesJacobianRoute(const TreeSpec& spec, const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& v);

/// Γ by inverse dynamics alone, after De Luca and Ferrajoli: with c(v) = C v, the symmetric part
/// of column j, k is ½[c(e_j + e_k) − c(e_j) − c(e_k)], and the rest is half of H [e_j, e_k].
SymbolSlices CalcRneaSymbols(const Model& model,
                             const std::vector<Eigen::MatrixXd>& structure_constants,
                             const Eigen::VectorXd& q);

/// The coefficients s^l_jk of Hamel's equations, [e_j, e_k] = Σ_l s^l_jk e_l, as s[l](j, k), from
/// poses alone: every body's twist columns satisfy Σ_l s^l_jk J_l = e_j(J_k) − e_k(J_j) − J_j ×
/// J_k.
std::vector<Eigen::MatrixXd> CalcHamelCoefficients(const TreeSpec& spec, const Eigen::VectorXd& q);

/// τ_i = d/dt ∂L/∂v_i + s^k_ij v_j ∂L/∂v_k − e_i(L), Hamel's equations, [WES] (6), L = ½vᵀHv − V
/// with H and V of the slow oracle, and differences along the motion and along the coordinates.
Eigen::VectorXd CalcHamelInverseDynamics(const TreeSpec& spec,
                                         const std::vector<Eigen::MatrixXd>& coefficients,
                                         const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                         const Eigen::VectorXd& vdot);

}  // namespace civita
