#pragma once

#include <ginac/ginac.h>

#include <Eigen/Core>
#include <vector>

#include "civita/model.h"

// Christoffel symbols as formulas. GiNaC shares equal parts of an expression; nothing is expanded
// or simplified beyond what it does by itself.

namespace civita {

/// Christoffel symbols Γ_ijk of the first kind of a model of hinges and slides as expressions, nv³
/// in the order of ChristoffelIndex, in the symbols q of the configuration (nq).
struct SymbolicChristoffel {
  std::vector<GiNaC::symbol> q;
  std::vector<GiNaC::ex> Gamma;

  /// The nv³ numbers of Gamma at the configuration `values` (nq numbers).
  std::vector<double> Evaluate(const Eigen::VectorXd& values) const;
};

/// Symbolic Christoffel symbols by algorithm 2 of [EW]: CalcChristoffelSymbols with expressions as
/// scalars.
SymbolicChristoffel CalcSymbolicChristoffel(const Model& model);

/// Symbolic Christoffel symbols by their definition Γ_ijk = ½(∂_j H_ik + ∂_k H_ij − ∂_i H_jk)
/// ([EW], (4)), from H by CalcMassMatrix with expressions as scalars. @throws ContractError if q̇ is
/// not v.
SymbolicChristoffel CalcSymbolicChristoffelByPartials(const Model& model);

}  // namespace civita
