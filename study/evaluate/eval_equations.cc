// The equations of motion, their derivatives, energies and parameters.

#include "civita/controllers/controller.h"
#include "civita/dual.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/passive_forces.h"
#include "civita/regressor.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "civita/study/evaluate/evaluator.h"
#include "study/evaluate/eval_rows.h"

namespace civita::rows {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RowMajor C(Evaluator& at, const QuantityRequest&) { return at.CalcMatrices().C; }

RowMajor A(Evaluator& at, const QuantityRequest&) {
  MatrixXd A(at.model.nv(), at.space.nw());
  CalcVelocityMap<double>(at.space, at.workspace, A);
  return A;
}

namespace {

/// The forces on w that calc(tau) sets.
template <typename Calc>
VectorXd ForcesOf(const Evaluator& at, const Calc& calc) {
  VectorXd tau(at.space.nw());
  calc(tau);
  return tau;
}

}  // namespace

RowMajor Tau(Evaluator& at, const QuantityRequest&) {
  return ForcesOf(at, [&](VectorXd& tau) {
    CalcInverseDynamics<double>(at.space, at.wdot, at.workspace, tau,
                                ToForces(at.model, at.wrenches, at.tree()));
  });
}

RowMajor TauExt(Evaluator& at, const QuantityRequest&) {
  return ForcesOf(at, [&](VectorXd& tau) {
    CalcGeneralizedForces<double>(at.space, ToForces(at.model, at.wrenches, at.tree()),
                                  at.workspace, tau);
  });
}

RowMajor Passive(Evaluator& at, const QuantityRequest&) {
  VectorXd tau = VectorXd::Zero(at.model.nv());
  AddPassiveForces(at.model, at.tree().q(), at.tree().v(), {.speed = kFrictionVelocity}, 1, tau);
  return ForcesOf(
      at, [&](VectorXd& tau_w) { CalcReducedForces<double>(at.space, tau, at.workspace, tau_w); });
}

RowMajor TauR(Evaluator& at, const QuantityRequest&) {
  return ForcesOf(at, [&](VectorXd& tau) {
    CalcPassivityInverseDynamics<double>(at.space, at.factorization, at.w_r, at.wdot_r,
                                         at.workspace, tau);
  });
}

RowMajor CvR(Evaluator& at, const QuantityRequest&) {
  return ForcesOf(at, [&](VectorXd& product) {
    CalcCoriolisProduct<double>(at.space, at.factorization, at.w_r, at.workspace, product);
  });
}

RowMajor CTv(Evaluator& at, const QuantityRequest&) {
  return ForcesOf(at, [&](VectorXd& product) {
    CalcCoriolisTransposeProduct<double>(at.space, at.factorization, at.w, at.workspace, product);
  });
}

RowMajor Vdot(Evaluator& at, const QuantityRequest&) {
  VectorXd wdot(at.space.nw());
  const Status status = CalcForwardDynamics<double>(at.space, at.tau_w, at.workspace, wdot,
                                                    ToForces(at.model, at.wrenches, at.tree()));
  return status ? RowMajor(wdot) : RowMajor();
}

namespace {

struct Derivatives {
  MatrixXd dq, dw;
};

/// Takes those of the wrenches, constant in their axes, from a derivative by q.
void SubtractWrenches(Evaluator& at, MatrixXd& dq) {
  const int nv = at.model.nv(), nw = at.space.nw();
  Workspace<Dual> moving(at.model);
  VectorX<Dual> q(at.model.nq()), forces = VectorX<Dual>::Zero(nv);
  MatrixXd A(nv, nw), turned(nw, nw);
  CalcVelocityMap<double>(at.space, at.workspace, A);
  for (int b = 0; b < nw; ++b) {
    IntegratePosition<Dual>(at.model, at.q.cast<Dual>(), A.col(b).cast<Dual>(), Dual(0, 1), q);
    UpdateKinematics(at.model, q, moving);
    CalcGeneralizedForces(at.model, ToForces(at.model, at.wrenches, moving), moving, forces);
    dq.col(b) -= A.transpose() * civita::Derivatives(forces);
  }
  CalcReducedForcesDerivative<double>(at.space, Values(forces), at.workspace, turned);
  dq -= turned;
}

/// Of inverse dynamics less the wrenches by q, w and wdot constant, and by w.
Derivatives CalcDerivatives(Evaluator& at) {
  const int nw = at.space.nw();
  Derivatives d{MatrixXd(nw, nw), MatrixXd(nw, nw)};
  MatrixXd H(nw, nw);
  CalcInverseDynamicsDerivatives<double>(at.space, at.wdot, at.workspace, d.dq, d.dw, H);
  if (!at.wrenches.empty()) SubtractWrenches(at, d.dq);
  return d;
}

}  // namespace

RowMajor DtauDq(Evaluator& at, const QuantityRequest&) { return CalcDerivatives(at).dq; }
RowMajor DtauDv(Evaluator& at, const QuantityRequest&) { return CalcDerivatives(at).dw; }

RowMajor Y(Evaluator& at, const QuantityRequest&) {
  const std::vector<Model::NamedFrame> frames = BodyFrames(at.model);
  const int columns = kNumBodyParameters * static_cast<int>(frames.size());
  MatrixXd of_tree(at.model.nv(), columns), Y(at.space.nw(), columns);
  VectorXd offset(at.space.nw());
  CalcRegressor<double>(at.space, at.factorization, frames, at.w, at.wdot, at.workspace, of_tree, Y,
                        offset);
  return Y;
}

RowMajor Pi(Evaluator& at, const QuantityRequest&) {
  return CalcModelParameters(at.model, BodyFrames(at.model));
}

}  // namespace civita::rows
