#include "app/verbs/eval/eval_reduced.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/verbs/eval/row_major.h"
#include "civita/error.h"

namespace civita {

ReducedEvaluator::ReducedEvaluator(const ClusterModel& model_in, Factorization factorization_in)
    : model(model_in),
      factorization(std::move(factorization_in)),
      workspace(model),
      unit_workspace(model),
      q(model.tree().nq()),
      w(model.nw()),
      wdot(model.nw()),
      matrix(model.nw(), model.nw()),
      unused(model.nw(), model.nw()) {}

void ReducedEvaluator::SetState(std::span<const double> q_in, std::span<const double> w_in,
                                std::span<const double> wdot_in) {
  std::copy(q_in.begin(), q_in.end(), q.begin());
  std::copy(w_in.begin(), w_in.end(), w.begin());
  std::copy(wdot_in.begin(), wdot_in.end(), wdot.begin());
  status = CloseLoops(model, workspace, q);
  if (status.ok()) status = UpdateKinematics(model, q, w, workspace);
}

void EvalReducedH(ReducedEvaluator& at, std::span<double> out) {
  CalcMassMatrix(at.model, at.workspace, at.matrix);
  StoreMatrix(at.matrix, out);
}

void EvalReducedC(ReducedEvaluator& at, std::span<double> out) {
  CalcCoriolisMatrix(at.model, at.factorization, at.workspace, at.matrix, at.unused);
  StoreMatrix(at.matrix, out);
}

/// C̄ is linear in w: Γ̄_ijk is C̄_ik at w = e_j, whatever the factorization.
void EvalReducedGamma(ReducedEvaluator& at, std::span<double> out) {
  const Eigen::Index n = at.model.nw();
  for (Eigen::Index j = 0; j < n; ++j) {
    const ClusterStatus status =
        UpdateKinematics(at.model, at.q, Eigen::VectorXd::Unit(n, j), at.unit_workspace);
    CIVITA_CHECK(status.ok(), Describe(at.model, status));
    CalcCoriolisMatrix(at.model, at.factorization, at.unit_workspace, at.matrix, at.unused);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index k = 0; k < n; ++k) {
        out[static_cast<std::size_t>((i * n + j) * n + k)] = at.matrix(i, k);
      }
    }
  }
}

void EvalReducedG(ReducedEvaluator& at, std::span<double> out) {
  CalcGravityForces(at.model, at.workspace, AsVector(out));
}

void EvalReducedBias(ReducedEvaluator& at, std::span<double> out) {
  CalcBiasForces(at.model, at.workspace, AsVector(out));
}

void EvalReducedTau(ReducedEvaluator& at, std::span<double> out) {
  CalcInverseDynamics(at.model, at.wdot, at.workspace, AsVector(out));
}

void EvalReducedA(ReducedEvaluator& at, std::span<double> out) {
  Eigen::MatrixXd A(at.model.nv(), at.model.nw());
  CalcClusterFrame(at.model, at.workspace, A);
  StoreMatrix(A, out);
}

}  // namespace civita
