#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/dual.h"
#include "civita/model.h"
#include "tests/oracles/tree_spec.h"

namespace civita {

/// Derivatives by dual numbers through the core's own algorithms: without step size, hence more
/// accurate than differences.

/// q ⊕ v ε: q with its rate along v.
VectorX<Dual> DualAlong(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// H(q ⊕ v ε): H and its rate along v.
MatrixX<Dual> DualMassMatrix(const Model& model, const Eigen::VectorXd& q,
                             const Eigen::VectorXd& v);

/// The Riemannian symbols by Koszul's formula, from derivatives of the mass matrix along every
/// coordinate and the structure constants of the spec: Γ_ijk as symbols[j](i, k).
std::vector<Eigen::MatrixXd> DualKoszulSymbols(const Model& model, const TreeSpec& spec,
                                               const Eigen::VectorXd& q);

}  // namespace civita
