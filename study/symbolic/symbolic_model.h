#pragma once

#include "civita/factorization.h"
#include "civita/model.h"
#include "study/symbolic/expression_graph.h"

namespace civita {

/// The equations H v̇ + C v + g = τ of a model as formulas in the symbols q0, q1, … (nq), v0, …
/// (nv) and a0, … (nv, v̇), by the algorithms of core with formulas as scalars. Arrays are
/// row-major, as those of `civita eval`; units are those of core. Nothing is multiplied out: see
/// algebra.h. Quaternions of q may have any length but zero.
class SymbolicModel {
 public:
  explicit SymbolicModel(const Model& model, Factorization factorization = {})
      : model_(model), factorization_(std::move(factorization)) {}

  Formulas H() const;
  Formulas C() const;  ///< of the factorization
  /// Γ_ijk of the factorization, C_ik = Σ_j Γ_ijk v_j: torsion-free by algorithm 2 of [EW], others
  /// by C at unit velocities ([WES] (10)).
  Formulas Gamma() const;
  Formulas Hdot() const;
  Formulas g() const;
  Formulas bias() const;
  Formulas tau() const;
  Formulas kinetic() const;    ///< one number
  Formulas potential() const;  ///< one number

 private:
  Model model_;
  Factorization factorization_;
};

}  // namespace civita
