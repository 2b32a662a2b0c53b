#pragma once

#include <span>

#include "civita/cluster_dynamics.h"
#include "civita/factorization.h"

namespace civita {

/// A mechanism with closed loops at a state in its independent velocities w, for the rows of
/// Quantities() with `civita eval --reduced`.
class ReducedEvaluator {
 public:
  /// The model must outlive it.
  ReducedEvaluator(const ClusterModel& model, Factorization factorization);

  /// Sets w and ẇ (nw numbers) and closes the loops near q (nq) by the dependent coordinates. If
  /// they cannot be closed or are singular, `status` says so and no quantity may be computed.
  void SetState(std::span<const double> q, std::span<const double> w, std::span<const double> wdot);

  const ClusterModel& model;
  const Factorization factorization;
  ClusterStatus status;
  ClusterWorkspace<double> workspace;
  ClusterWorkspace<double> unit_workspace;  ///< at q, with a unit velocity
  Eigen::VectorXd q, w, wdot;
  Eigen::MatrixXd matrix, unused;  ///< scratch, nw × nw
};

/// Fills `out`, row-major: H̄, C̄, Γ̄ (of the factorization), ḡ, bias and τ̄ with nw, A with nv ×
/// nw.
void EvalReducedH(ReducedEvaluator& at, std::span<double> out);
void EvalReducedC(ReducedEvaluator& at, std::span<double> out);
void EvalReducedGamma(ReducedEvaluator& at, std::span<double> out);
void EvalReducedG(ReducedEvaluator& at, std::span<double> out);
void EvalReducedBias(ReducedEvaluator& at, std::span<double> out);
void EvalReducedTau(ReducedEvaluator& at, std::span<double> out);
void EvalReducedA(ReducedEvaluator& at, std::span<double> out);

}  // namespace civita
