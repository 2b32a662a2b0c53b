// The equations of motion, their derivatives, energies and parameters.

#include "base/decompositions.h"
#include "civita/controllers/controller.h"
#include "civita/dual.h"
#include "civita/dynamics_derivatives.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "civita/passive_forces.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "civita/study/evaluate/evaluator.h"
#include "study/evaluate/eval_rows.h"

namespace civita::rows {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RowMajor H(Evaluator& at, const QuantityRequest&) { return at.H(); }
RowMajor C(Evaluator& at, const QuantityRequest&) { return at.C(); }
RowMajor Hdot(Evaluator& at, const QuantityRequest&) { return at.Hdot(); }
RowMajor g(Evaluator& at, const QuantityRequest&) { return at.g(); }
RowMajor Tau(Evaluator& at, const QuantityRequest&) { return at.tau(); }
RowMajor TauExt(Evaluator& at, const QuantityRequest&) { return at.ExternalForces(); }
RowMajor A(Evaluator& at, const QuantityRequest&) { return at.velocities.A(); }

namespace {

/// C v + g.
MatrixXd BiasForces(Evaluator& at) {
  VectorXd bias(at.model.nv());
  if (at.velocities.are_the_trees()) {
    CalcBiasForces(at.model, at.workspace, bias);
  } else {
    const VectorXd Adot_w = at.velocities.ToTree(at.w, VectorXd::Zero(at.w.size()));
    CalcInverseDynamics(at.model, Adot_w, at.workspace, bias);
  }
  return at.velocities.Forces(bias);
}

}  // namespace

RowMajor Bias(Evaluator& at, const QuantityRequest&) { return BiasForces(at); }

RowMajor Passive(Evaluator& at, const QuantityRequest&) {
  VectorXd tau = VectorXd::Zero(at.model.nv());
  AddPassiveForces(at.model, at.q, at.v, {.speed = kFrictionVelocity}, 1, tau);
  return at.velocities.Forces(tau);
}

RowMajor TauR(Evaluator& at, const QuantityRequest&) {
  VectorXd tau(at.model.nv());
  CalcPassivityInverseDynamics(at.model, at.factorization, at.velocities.ToTree(at.w_r),
                               at.velocities.ToTree(at.w_r, at.wdot_r), at.workspace, tau);
  return at.velocities.Forces(tau);
}

/// Aᵀ(C A w_r + H Ȧ w_r).
RowMajor CvR(Evaluator& at, const QuantityRequest&) {
  VectorXd product(at.model.nv());
  CalcCoriolisProduct(at.model, at.factorization, at.velocities.ToTree(at.w_r), at.workspace,
                      product);
  if (!at.velocities.are_the_trees()) product += at.tree_H() * at.velocities.Adot() * at.w_r;
  return at.velocities.Forces(product);
}

/// AᵀCᵀv + ȦᵀH v.
RowMajor CTv(Evaluator& at, const QuantityRequest&) {
  VectorXd product(at.model.nv());
  CalcCoriolisTransposeProduct(at.model, at.factorization, at.v, at.workspace, product);
  MatrixXd of_w = at.velocities.Forces(product);
  if (!at.velocities.are_the_trees()) {
    of_w += at.velocities.Adot().transpose() * at.tree_H() * at.v;
  }
  return of_w;
}

RowMajor Vdot(Evaluator& at, const QuantityRequest&) {
  const auto metric = internal::DecomposePositiveDefinite(at.H());
  if (!metric) return {};
  return metric->Solve(at.tau_w + at.ExternalForces() - BiasForces(at));
}

namespace {

struct TreeDerivatives {
  MatrixXd dq, dv;
};

/// Of Evaluator::tree_tau() along q ⊕ δ e_j and v, the wrenches constant in their axes.
TreeDerivatives CalcTreeDerivatives(Evaluator& at) {
  const int nv = at.model.nv();
  TreeDerivatives d{MatrixXd(nv, nv), MatrixXd(nv, nv)};
  MatrixXd H(nv, nv);
  CalcInverseDynamicsDerivatives(at.model, at.vdot, at.workspace, d.dq, d.dv, H);
  if (at.wrenches.empty()) return d;
  Workspace<Dual> moving(at.model);
  VectorX<Dual> q(at.model.nq()), forces(nv);
  for (int j = 0; j < nv; ++j) {
    const VectorX<Dual> e_j = VectorXd::Unit(nv, j).cast<Dual>();
    IntegratePosition<Dual>(at.model, at.q.cast<Dual>(), e_j, Dual(0, 1), q);
    UpdateKinematics(at.model, q, moving);
    CalcGeneralizedForces(at.model, ToForces(at.model, at.wrenches, moving), moving, forces);
    d.dq.col(j) -= Derivatives(forces);
  }
  return d;
}

/// Column b: ∂_bA x.
MatrixXd FrameDerivatives(Evaluator& at, const VectorXd& x) {
  MatrixXd columns(at.model.nv(), at.velocities.size());
  for (int b = 0; b < at.velocities.size(); ++b) {
    columns.col(b) = at.velocities.dA()[static_cast<std::size_t>(b)] * x;
  }
  return columns;
}

}  // namespace

/// With τ̄ = Aᵀτ(q, A w, A ẇ + Ȧ w), along A e_b: (∂_bA)ᵀτ + Aᵀ(∂τ/∂q A_b + ∂τ/∂v ∂_bA w +
/// H (∂_bA ẇ + ∂_b(Ȧ w))).
RowMajor DtauDq(Evaluator& at, const QuantityRequest&) {
  const TreeDerivatives d = CalcTreeDerivatives(at);
  if (at.velocities.are_the_trees()) return d.dq;
  const MatrixXd rates = d.dq * at.velocities.A() + d.dv * FrameDerivatives(at, at.w) +
                         at.tree_H() * (FrameDerivatives(at, at.wdot) + at.velocities.BiasRates());
  MatrixXd of_w = at.velocities.Forces(rates);
  const VectorXd tau = at.tree_tau();
  for (int b = 0; b < at.velocities.size(); ++b) {
    of_w.col(b) += at.velocities.dA()[static_cast<std::size_t>(b)].transpose() * tau;
  }
  return of_w;
}

/// Aᵀ(∂τ/∂v A + H ∂(Ȧ w)/∂w), with Ȧ w = Σ_b w_b ∂_bA w.
RowMajor DtauDv(Evaluator& at, const QuantityRequest&) {
  const TreeDerivatives d = CalcTreeDerivatives(at);
  if (at.velocities.are_the_trees()) return d.dv;
  return at.velocities.Forces(d.dv * at.velocities.A() +
                              at.tree_H() * (FrameDerivatives(at, at.w) + at.velocities.Adot()));
}

RowMajor Kinetic(Evaluator& at, const QuantityRequest&) {
  return CalcKineticEnergy(at.model, at.workspace);
}

RowMajor Potential(Evaluator& at, const QuantityRequest&) {
  return CalcPotentialEnergy(at.model, at.workspace);
}

RowMajor Y(Evaluator& at, const QuantityRequest&) {
  const std::vector<Model::NamedFrame> frames = BodyFrames(at.model);
  MatrixXd Y(at.model.nv(), kNumBodyParameters * static_cast<int>(frames.size()));
  VectorXd offset(at.model.nv());
  CalcRegressor<double>(at.model, at.factorization, frames, at.v, at.vdot, at.workspace, Y, offset);
  return at.velocities.Forces(Y);
}

RowMajor Pi(Evaluator& at, const QuantityRequest&) {
  return CalcModelParameters(at.model, BodyFrames(at.model));
}

}  // namespace civita::rows
