#pragma once

#include <Eigen/Core>

#include "civita/factorization.h"
#include "civita/model.h"

namespace civita {

class Reproduction;

/// A residual of a law at one state or over many: its maximum entry, and the maximum entry of the
/// quantity that the law concerns.
struct Residual {
  double absolute = 0;
  double scale = 0;
  double relative() const { return absolute / scale; }
};

/// The laws by which [EW], section 5, verifies its algorithms, at one state of a mechanism without
/// gravity.
struct LawResiduals {
  Residual bias;         ///< C v − RNEA(q, v, 0), N·m
  Residual skew;         ///< Ḣ − C − Cᵀ, Ḣ by dual numbers, N·m·s
  Residual christoffel;  ///< C − Γ·v, N·m·s
};
LawResiduals CalcLawResiduals(const Model& model, const Factorization& factorization,
                              const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// States of `trials` random serial chains and as many random trees of 10, 20 and 30 tubes, q in
/// [0, 2π) and v in [0, 10) rad/s; passes when every relative residual is at most 1e-13.
void VerifyLaws(Reproduction* reproduction, int trials, const Factorization& factorization);

}  // namespace civita
