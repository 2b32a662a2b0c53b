#pragma once

#include <ginac/ginac.h>

#include <Eigen/Core>
#include <vector>

#include "civita/model.h"

// Christoffel symbols as formulas. GiNaC shares equal parts of an expression; nothing is expanded
// or simplified beyond what it does by itself.

namespace civita {

/// Symbols of a model's configuration and the symbols Γ_ijk of the first kind as expressions in
/// them, by ChristoffelIndex. For models of hinges and slides.
struct SymbolicChristoffel {
  std::vector<GiNaC::symbol> q;
  std::vector<GiNaC::ex> Gamma;

  /// The numbers at a configuration.
  std::vector<double> Evaluate(const Eigen::VectorXd& values) const;
};

/// By algorithm 2 of [EW], CalcChristoffelSymbols run with symbols.
SymbolicChristoffel CalcSymbolicChristoffel(const Model& model);

/// By the definition, Γ_ijk = ½(∂_j H_ik + ∂_k H_ij − ∂_i H_jk) ([EW], (4)), from H by the
/// composite-rigid-body algorithm run with symbols. @throws ContractError where q̇ is not v.
SymbolicChristoffel CalcSymbolicChristoffelByPartials(const Model& model);

}  // namespace civita
