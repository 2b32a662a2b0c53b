#include "civita/study/evaluate/eval_velocities.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/decompositions.h"
#include "civita/error.h"
#include "civita/geometry/connection.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/space_derivatives.h"
#include "civita/velocity_space.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

EvalVelocities::EvalVelocities(const Model& tree) : tree_(tree), size_(tree.nv()) {}

EvalVelocities::EvalVelocities(const VelocitySpace& chains)
    : tree_(chains.tree()), chains_(chains), size_(chains.nw()) {
  workspace_.emplace(chains);
  unit_workspace_.emplace(chains);
}

EvalVelocities::EvalVelocities(const Model& tree, Coordinates coordinates)
    : tree_(tree), size_(coordinates.nw()), coordinates_(std::move(coordinates)) {
  tree_workspace_.emplace(tree);
  change_.emplace(tree.nv(), size_);
  moved_ = change_;
}

std::vector<std::string> EvalVelocities::Names() const {
  if (coordinates_) return coordinates_->names;
  if (chains_) return chains_->Names();
  std::vector<std::string> names;
  for (int k = 0; k < tree_.nv(); ++k) names.push_back(tree_.VelocityName(k));
  return names;
}

std::string EvalVelocities::SetState(const VectorXd& w, VectorXd* q) {
  dA_.clear();
  if (chains_) {
    Status status = CloseLoops(*chains_, *workspace_, *q);
    if (status.ok()) status = UpdateKinematics(*chains_, *q, w, *workspace_);
    if (!status.ok()) return Describe(*chains_, status);
  }
  q_ = *q;
  w_ = w;
  if (!coordinates_) return "";
  if (!Move(q_, w_))
    return "the coordinates " + coordinates_->text + " do not exist: A is singular";
  change_ = moved_;
  return "";
}

/// A first, at rest, and then Ȧ along v = A w.
bool EvalVelocities::Move(const VectorXd& q, const VectorXd& w) {
  UpdateKinematics(tree_, q, VectorXd::Zero(tree_.nv()), *tree_workspace_);
  if (!coordinates_->update(*tree_workspace_, *moved_)) return false;
  const VectorXd v = moved_->A * w;
  UpdateKinematics(tree_, q, v, *tree_workspace_);
  return coordinates_->update(*tree_workspace_, *moved_).ok();
}

const VelocityMap<double>& EvalVelocities::map() const {
  return change_ ? *change_ : workspace_->map(*chains_);
}

MatrixXd EvalVelocities::A() const {
  return are_the_trees() ? MatrixXd::Identity(size_, size_) : map().A;
}

MatrixXd EvalVelocities::Adot() const {
  return are_the_trees() ? MatrixXd::Zero(size_, size_) : map().Adot;
}

/// Ȧ is linear in w: ∂_bA is Ȧ at w = e_b.
const std::vector<MatrixXd>& EvalVelocities::dA() {
  if (are_the_trees() || !dA_.empty()) return dA_;
  for (int b = 0; b < size_; ++b) {
    if (coordinates_) {
      CIVITA_CHECK(Move(q_, VectorXd::Unit(size_, b)), "A is singular");
      dA_.push_back(moved_->Adot);
      continue;
    }
    const Status status =
        UpdateKinematics(*chains_, q_, VectorXd::Unit(size_, b), *unit_workspace_);
    CIVITA_CHECK(status.ok(), Describe(*chains_, status));
    dA_.push_back(unit_workspace_->map(*chains_).Adot);
  }
  return dA_;
}

/// Of coordinates by central differences of fourth order.
MatrixXd EvalVelocities::BiasRates() {
  CIVITA_CHECK(!are_the_trees(), "w = v has no bias");
  if (!coordinates_) return ChainBiasRates();
  constexpr double kStep = 1e-3;
  MatrixXd rates = MatrixXd::Zero(tree_.nv(), size_);
  VectorXd q(tree_.nq());
  for (int b = 0; b < size_; ++b) {
    const VectorXd along = A().col(b);
    const double h = kStep / std::max(1.0, along.norm());
    for (const auto& [step, weight] : {std::pair(-2, 1.0), {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
      IntegratePosition<double>(tree_, q_, along, step * h, q);
      if (!Move(q, w_)) return MatrixXd::Constant(tree_.nv(), size_, std::nan(""));
      rates.col(b) += weight / (12 * h) * (moved_->Adot * w_);
    }
  }
  return rates;
}

MatrixXd EvalVelocities::ChainBiasRates() {
  MatrixXd of_v(tree_.nv(), size_), rates(of_v), by_w(of_v);
  CalcTreeMotionDerivatives(*chains_, VectorXd::Zero(size_), *workspace_, of_v, rates, by_w);
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
  if (are_the_trees()) return H;
  MatrixXd products, H_w(size_, size_);
  ChangeMassMatrix<double>(map(), H, products, H_w);
  return H_w;
}

MatrixXd EvalVelocities::MassMatrixRate(const MatrixXd& H, const MatrixXd& Hdot) const {
  if (are_the_trees()) return Hdot;
  MatrixXd products, Hdot_w(size_, size_);
  ChangeMassMatrixRate<double>(map(), H, Hdot, products, Hdot_w);
  return Hdot_w;
}

MatrixXd EvalVelocities::Coriolis(const MatrixXd& C, const MatrixXd& H) const {
  if (are_the_trees()) return C;
  MatrixXd products, C_w(size_, size_);
  ChangeCoriolisMatrix<double>(map(), {.C = C, .H = H}, products, C_w);
  return C_w;
}

Tensor3 EvalVelocities::Connection(Tensor3 Gamma, const MatrixXd& H) {
  return are_the_trees() ? std::move(Gamma) : ProjectConnection(Gamma, H, A(), dA());
}

Tensor3 EvalVelocities::MetricRates(Tensor3 h, const MatrixXd& H) {
  if (are_the_trees()) return h;
  VelocityMap<double> along = map();
  MatrixXd products;
  Tensor3 rates(size_);
  for (int b = 0; b < size_; ++b) {
    along.Adot = dA()[static_cast<std::size_t>(b)];
    ChangeMassMatrixRate<double>(along, H, Contract(h, along.A.col(b)), products,
                                 rates.Direction(b));
  }
  return rates;
}

Tensor3 EvalVelocities::StructureConstants(Tensor3 c, const MatrixXd& H) {
  if (are_the_trees()) return c;
  const MatrixXd A = this->A();
  // Least squares in the norm of H.
  MatrixXd root = MatrixXd::Identity(tree_.nv(), tree_.nv());
  if (const auto metric = internal::DecomposePositiveDefinite(H)) root = metric->L.transpose();
  const MatrixXd frame = root * A;
  Tensor3 s(size_);
  for (int j = 0; j < size_; ++j) {
    // Column k is A_j(A_k) − A_k(A_j) + [A_j, A_k] of the tree's frame.
    MatrixXd brackets = dA()[static_cast<std::size_t>(j)] + Contract(c, A.col(j)) * A;
    for (int k = 0; k < size_; ++k) {
      brackets.col(k) -= dA()[static_cast<std::size_t>(k)].col(j);
    }
    s.Direction(j) = internal::SolveLeastSquares(frame, root * brackets);
  }
  return s;
}

VectorXd GenericPosition(const Model& model) {
  Eigen::VectorXd q = model.DefaultPosition();
  const Eigen::VectorXd steps = Eigen::VectorXd::LinSpaced(model.nv(), 0.3, 0.7);
  IntegratePosition<double>(model, q, steps, 1, q);
  return q;
}

}  // namespace civita
