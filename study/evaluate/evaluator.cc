#include "civita/study/evaluate/evaluator.h"

#include <utility>

#include "civita/christoffel.h"
#include "civita/coriolis.h"
#include "civita/dual.h"
#include "civita/frame_motion.h"
#include "civita/geometry/connection.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/structure_constants.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

VectorXd Copy(std::span<const double> numbers) {
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

}  // namespace

Evaluator::Evaluator(EvalVelocities velocities_in, Factorization factorization_in)
    : velocities(std::move(velocities_in)),
      model(velocities.tree()),
      factorization(std::move(factorization_in)),
      workspace(model) {}

void Evaluator::SetState(const EvalStates& states, std::size_t state) {
  tree_H_.reset();
  Gamma_.reset();
  Riemannian_.reset();
  structure_.reset();
  q = Copy(states.q(state));
  w = Copy(states.v(state));
  wdot = Copy(states.a(state));
  w_r = Copy(states.v_r(state));
  wdot_r = Copy(states.vdot_r(state));
  tau_w = Copy(states.tau(state));
  wrenches = states.wrenches(state);
  trouble = velocities.SetState(w, &q);
  if (!trouble.empty()) return;
  v = velocities.ToTree(w);
  vdot = velocities.ToTree(w, wdot);
  UpdateKinematics(model, q, v, workspace);
}

const MatrixXd& Evaluator::tree_H() {
  if (!tree_H_) {
    tree_H_.emplace(model.nv(), model.nv());
    CalcMassMatrix(model, workspace, *tree_H_);
  }
  return *tree_H_;
}

MatrixXd Evaluator::tree_C() {
  MatrixXd C(model.nv(), model.nv()), H(model.nv(), model.nv());
  CalcCoriolisMatrix(model, factorization, workspace, {.C = C, .H = H});
  return C;
}

MatrixXd Evaluator::tree_Hdot() {
  MatrixXd Hdot(model.nv(), model.nv());
  CalcMassMatrixDerivative(model, workspace, Hdot);
  return Hdot;
}

MatrixXd Evaluator::H() { return velocities.MassMatrix(tree_H()); }
MatrixXd Evaluator::C() { return velocities.Coriolis(tree_C(), tree_H()); }
MatrixXd Evaluator::Hdot() { return velocities.MassMatrixRate(tree_H(), tree_Hdot()); }

const Tensor3& Evaluator::Riemannian() {
  if (!Riemannian_) {
    Tensor3 Gamma(model.nv());
    CalcChristoffelSymbols(model, workspace, Gamma);
    Riemannian_ = velocities.Connection(std::move(Gamma), tree_H());
  }
  return *Riemannian_;
}

const Tensor3& Evaluator::Gamma() {
  if (factorization.torsion_free()) return Riemannian();
  if (!Gamma_) {
    Workspace<double> unit_workspace(model);
    Gamma_ =
        velocities.Connection(CalcConnection(model, factorization, q, unit_workspace), tree_H());
  }
  return *Gamma_;
}

const Tensor3& Evaluator::structure() {
  if (!structure_)
    structure_ = velocities.StructureConstants(CalcStructureConstants(model), tree_H());
  return *structure_;
}

Tensor3 Evaluator::lowered_structure() { return LowerFirstIndex(H(), structure()); }

Tensor3 Evaluator::MetricRates() {
  return velocities.MetricRates(CalcMetricRates(model, q), tree_H());
}

MatrixXd Evaluator::g() {
  VectorXd g(model.nv());
  CalcGravityForces(model, workspace, g);
  return velocities.Forces(g);
}

VectorXd Evaluator::tree_tau() {
  VectorXd tau(model.nv());
  CalcInverseDynamics(model, vdot, workspace, tau, ToForces(model, wrenches, workspace));
  return tau;
}

MatrixXd Evaluator::tau() { return velocities.Forces(tree_tau()); }

MatrixXd Evaluator::ExternalForces() {
  VectorXd tau(model.nv());
  CalcGeneralizedForces(model, ToForces(model, wrenches, workspace), workspace, tau);
  return velocities.Forces(tau);
}

template <typename T>
std::vector<ExternalForce<T>> ToForces(const Model& model, const std::vector<EvalWrench>& wrenches,
                                       Workspace<T>& workspace) {
  std::vector<ExternalForce<T>> forces;
  for (const EvalWrench& wrench : wrenches) {
    const Model::NamedFrame& frame = *wrench.frame;
    Matrix3<T> R = Matrix3<T>::Identity();
    if (wrench.in_body_axes) R = CalcFramePose(model, frame, workspace).R;
    forces.push_back(ForceOnFrame<T>(frame, wrench.point, R * wrench.moment.cast<T>(),
                                     R * wrench.force.cast<T>()));
  }
  return forces;
}

template std::vector<ExternalForce<double>> ToForces(const Model&, const std::vector<EvalWrench>&,
                                                     Workspace<double>&);
template std::vector<ExternalForce<Dual>> ToForces(const Model&, const std::vector<EvalWrench>&,
                                                   Workspace<Dual>&);

}  // namespace civita
