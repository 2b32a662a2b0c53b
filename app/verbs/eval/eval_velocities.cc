#include "app/verbs/eval/eval_velocities.h"

#include <Eigen/QR>
#include <utility>

#include "civita/cluster_model.h"
#include "civita/dual.h"
#include "civita/error.h"
#include "civita/geometry/connection.h"
#include "civita/manifold.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

EvalVelocities::EvalVelocities(const Model& tree) : tree_(tree), size_(tree.nv()) {}

EvalVelocities::EvalVelocities(const ClusterModel& chains)
    : tree_(chains.tree()), chains_(&chains), size_(chains.nw()) {
  workspace_.emplace(chains);
  unit_workspace_.emplace(chains);
}

std::vector<std::string> EvalVelocities::Names() const {
  if (chains_ != nullptr) return chains_->IndependentNames();
  std::vector<std::string> names;
  for (int k = 0; k < tree_.nv(); ++k) names.push_back(tree_.VelocityName(k));
  return names;
}

std::string EvalVelocities::SetState(const VectorXd& w, VectorXd* q) {
  dA_.clear();
  if (chains_ != nullptr) {
    ClusterStatus status = CloseLoops(*chains_, *workspace_, *q);
    if (status.ok()) status = UpdateKinematics(*chains_, *q, w, *workspace_);
    if (!status.ok()) return Describe(*chains_, status);
  }
  q_ = *q;
  w_ = w;
  return "";
}

MatrixXd EvalVelocities::A() const {
  MatrixXd A = MatrixXd::Identity(tree_.nv(), size_);
  if (chains_ != nullptr) CalcClusterFrame(*chains_, *workspace_, A);
  return A;
}

MatrixXd EvalVelocities::Adot() const {
  MatrixXd Adot = MatrixXd::Zero(tree_.nv(), size_);
  if (chains_ != nullptr) CalcClusterFrameRate(*chains_, *workspace_, Adot);
  return Adot;
}

/// Ȧ is linear in w: ∂_bA is Ȧ at w = e_b.
const std::vector<MatrixXd>& EvalVelocities::dA() {
  if (are_the_trees() || !dA_.empty()) return dA_;
  for (int b = 0; b < size_; ++b) {
    const ClusterStatus status =
        UpdateKinematics(*chains_, q_, VectorXd::Unit(size_, b), *unit_workspace_);
    CIVITA_CHECK(status.ok(), Describe(*chains_, status));
    dA_.emplace_back(tree_.nv(), size_);
    CalcClusterFrameRate(*chains_, *unit_workspace_, dA_.back());
  }
  return dA_;
}

/// By dual numbers: along A e_b the loops stay closed to first order.
MatrixXd EvalVelocities::BiasRates() const {
  CIVITA_CHECK(!are_the_trees(), "w = v has no bias");
  const MatrixXd A = this->A();
  ClusterWorkspace<Dual> moving(*chains_);
  const VectorX<Dual> w = w_.cast<Dual>(), zero = VectorX<Dual>::Constant(size_, Dual(0));
  VectorX<Dual> q(tree_.nq()), bias(tree_.nv());
  MatrixXd rates(tree_.nv(), size_);
  for (int b = 0; b < size_; ++b) {
    IntegratePosition<Dual>(tree_, q_.cast<Dual>(), A.col(b).cast<Dual>(), Dual(0, 1), q);
    const ClusterStatus status = UpdateKinematics(*chains_, q, w, moving);
    CIVITA_CHECK(status.ok(), Describe(*chains_, status));
    CalcTreeAcceleration(*chains_, w, zero, moving, bias);
    rates.col(b) = Derivatives(bias);
  }
  return rates;
}

VectorXd EvalVelocities::ToTree(const VectorXd& w) const {
  return are_the_trees() ? w : VectorXd(A() * w);
}

VectorXd EvalVelocities::ToTree(const VectorXd& w, const VectorXd& wdot) const {
  return are_the_trees() ? wdot : VectorXd(A() * wdot + Adot() * w);
}

MatrixXd EvalVelocities::Forces(const MatrixXd& M) const {
  return are_the_trees() ? M : A().transpose() * M;
}

MatrixXd EvalVelocities::Jacobian(const MatrixXd& J) const { return are_the_trees() ? J : J * A(); }

MatrixXd EvalVelocities::JacobianRate(const MatrixXd& J, const MatrixXd& Jdot) const {
  return are_the_trees() ? Jdot : Jdot * A() + J * Adot();
}

MatrixXd EvalVelocities::MassMatrix(const MatrixXd& H) const {
  return are_the_trees() ? H : A().transpose() * H * A();
}

MatrixXd EvalVelocities::MassMatrixRate(const MatrixXd& H, const MatrixXd& Hdot) const {
  if (are_the_trees()) return Hdot;
  const MatrixXd A = this->A(), half = A.transpose() * H * Adot();
  return A.transpose() * Hdot * A + half + half.transpose();
}

MatrixXd EvalVelocities::Coriolis(const MatrixXd& C, const MatrixXd& H) const {
  return are_the_trees() ? C : A().transpose() * (C * A() + H * Adot());
}

Tensor3 EvalVelocities::Connection(Tensor3 Gamma, const MatrixXd& H) {
  return are_the_trees() ? std::move(Gamma) : ProjectConnection(Gamma, H, A(), dA());
}

Tensor3 EvalVelocities::MetricRates(Tensor3 h, const MatrixXd& H) {
  if (are_the_trees()) return h;
  const MatrixXd A = this->A();
  Tensor3 rates(size_);
  for (int b = 0; b < size_; ++b) {
    const MatrixXd half = A.transpose() * H * dA()[static_cast<std::size_t>(b)];
    rates.Direction(b) = A.transpose() * Contract(h, A.col(b)) * A + half + half.transpose();
  }
  return rates;
}

Tensor3 EvalVelocities::StructureConstants(Tensor3 c) {
  if (are_the_trees()) return c;
  const MatrixXd A = this->A();
  const Eigen::ColPivHouseholderQR<MatrixXd> frame(A);
  Tensor3 s(size_);
  for (int j = 0; j < size_; ++j) {
    // Column k is A_j(A_k) − A_k(A_j) + [A_j, A_k] of the tree's frame.
    MatrixXd brackets = dA()[static_cast<std::size_t>(j)] + Contract(c, A.col(j)) * A;
    for (int k = 0; k < size_; ++k) {
      brackets.col(k) -= dA()[static_cast<std::size_t>(k)].col(j);
    }
    s.Direction(j) = frame.solve(brackets);
  }
  return s;
}

}  // namespace civita
