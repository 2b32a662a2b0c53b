#include "civita/study/evaluate/evaluator.h"

#include <utility>

#include "civita/dual.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/space_geometry.h"
#include "civita/space_dynamics.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

VectorXd Copy(std::span<const double> numbers) {
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

}  // namespace

Evaluator::Evaluator(const VelocitySpace& space_in, Factorization factorization_in)
    : space(space_in),
      model(space.tree()),
      factorization(std::move(factorization_in)),
      workspace(space) {}

void Evaluator::SetState(const EvalStates& states, std::size_t state) {
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
  Status status;
  if (space.has_loops()) status = CloseLoops(space, workspace, q);
  if (status.ok()) status = UpdateKinematics<double>(space, q, w, workspace);
  trouble = status.ok() ? "" : Describe(space, status);
}

MatrixXd Evaluator::H() {
  MatrixXd H(space.nw(), space.nw());
  CalcMassMatrix<double>(space, workspace, H);
  return H;
}

Evaluator::Matrices Evaluator::CalcMatrices() {
  Matrices matrices{Eigen::MatrixXd(space.nw(), space.nw()),
                    Eigen::MatrixXd(space.nw(), space.nw())};
  CalcCoriolisMatrix<double>(space, factorization, workspace, {.C = matrices.C, .H = matrices.H});
  return matrices;
}

const Tensor3& Evaluator::Riemannian() {
  if (!Riemannian_) {
    Tensor3 of_tree(model.nv());
    Riemannian_.emplace(space.nw());
    CalcChristoffelSymbols<double>(space, workspace, of_tree.numbers(), Riemannian_->numbers());
  }
  return *Riemannian_;
}

const Tensor3& Evaluator::Gamma() {
  if (factorization.torsion_free()) return Riemannian();
  if (!Gamma_) {
    SpaceWorkspace<double> beside(space);
    Tensor3 Gamma(space.nw());
    const Status status = CalcConnection(space, factorization, q, beside, Gamma);
    CIVITA_CHECK(status.ok(), Describe(space, status));
    Gamma_ = std::move(Gamma);
  }
  return *Gamma_;
}

const Tensor3& Evaluator::structure() {
  if (!structure_) structure_ = CalcStructureConstants(space, workspace);
  return *structure_;
}

Tensor3 Evaluator::lowered_structure() { return LowerFirstIndex(H(), structure()); }

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
