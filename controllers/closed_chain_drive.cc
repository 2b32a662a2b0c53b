#include "civita/controllers/closed_chain_drive.h"

#include <cmath>
#include <string>
#include <utility>

#include "civita/cluster_dynamics.h"
#include "civita/controllers/controller.h"
#include "civita/controllers/damping_force.h"
#include "civita/error.h"
#include "core/internal/decompositions.h"

namespace civita {
namespace {

/// Maximum condition number of (AᵀS_u)(AᵀS_u)ᵀ, estimated by its pivots; beyond it the torques of
/// the driven coordinates grow without bound.
constexpr double kMaxDriveCondition = 1e10;

std::string Join(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined.empty() ? "none" : joined;
}

}  // namespace

ClosedChainDrive::ClosedChainDrive(std::shared_ptr<const ClusterModel> closed,
                                   const std::vector<bool>& passive, std::string_view law)
    : closed_(std::move(closed)),
      cluster_(*closed_),
      independent_(Eigen::VectorXd::Zero(closed_->nv())),
      w_(Eigen::VectorXd::Zero(closed_->nw())),
      H_w_(Eigen::MatrixXd::Zero(closed_->nw(), closed_->nw())),
      A_(Eigen::MatrixXd::Zero(closed_->nv(), closed_->nw())),
      Adot_(A_),
      HA_(A_),
      llt_(closed_->nw()) {
  wdot_ = k_w_ = force_w_ = scratch_w_ = w_;
  AHA_ = drive_ = H_w_;
  for (const int iv : closed_->independent()) independent_[iv] = 1;
  FindDriven(passive);
  CheckDrive(law);
}

void ClosedChainDrive::FindDriven(const std::vector<bool>& passive) {
  const auto is_passive = [&passive](int iv) {
    return !passive.empty() && passive[static_cast<size_t>(iv)];
  };
  for (int iv = 0; iv < closed_->nv(); ++iv) {
    if (!is_passive(iv)) driven_.push_back(iv);
  }
  for (const int iv : closed_->independent()) dropped_.push_back(is_passive(iv));
  for (const ClusterModel::Cluster& cluster : closed_->clusters()) {
    for (const int a : cluster.reduced) dropped_[static_cast<size_t>(a)] = false;
  }
}

void ClosedChainDrive::CheckDrive(std::string_view law) {
  if (driven_.empty() || nw() == 0) return;
  const ClusterStatus status =
      UpdateKinematics<double>(*closed_, closed_->closed_start(), cluster_);
  if (!status.ok()) throw UserError(std::string(law) + ": " + Describe(*closed_, status));
  CalcClusterFrame<double>(*closed_, cluster_, A_);
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(closed_->nw(), static_cast<int>(driven_.size()));
  std::vector<std::string> driven;
  for (size_t j = 0; j < driven_.size(); ++j) {
    B.col(static_cast<Eigen::Index>(j)) = A_.row(driven_[j]).transpose();
    driven.push_back(closed_->tree().VelocityName(driven_[j]));
  }
  Eigen::Index wanted = closed_->nw();
  for (const bool dropped : dropped_) wanted -= dropped ? 1 : 0;
  const Eigen::Index rank = internal::CalcRank(B, 1 / std::sqrt(kMaxDriveCondition));
  if (rank >= wanted) return;
  throw UserError(std::string(law) + ": the loops leave " + std::to_string(wanted) +
                  " independent velocities to be driven (" + Join(closed_->IndependentNames()) +
                  "), and the joints that have motors (" + Join(driven) + ") drive " +
                  std::to_string(rank) + " of them; more motors are needed");
}

void ClosedChainDrive::Select(const Eigen::VectorXd& x, Eigen::VectorXd& x_w) const {
  for (Eigen::Index a = 0; a < x_w.size(); ++a) {
    x_w[a] = x[closed_->independent()[static_cast<size_t>(a)]];
  }
}

void ClosedChainDrive::Spread(const Eigen::VectorXd& x_w, Eigen::VectorXd& x) const {
  x.setZero();
  for (Eigen::Index a = 0; a < x_w.size(); ++a) {
    x[closed_->independent()[static_cast<size_t>(a)]] = x_w[a];
  }
}

bool ClosedChainDrive::Update(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Select(v, w_);
  ok_ = UpdateKinematics<double>(*closed_, q, w_, cluster_).ok();
  if (!ok_) return false;
  CalcClusterFrame<double>(*closed_, cluster_, A_);
  CalcClusterFrameRate<double>(*closed_, cluster_, Adot_);
  CalcMassMatrix<double>(*closed_, cluster_, H_w_);
  return true;
}

bool ClosedChainDrive::Close(Eigen::VectorXd& q) {
  if (!CloseLoops(*closed_, cluster_, q).ok()) return false;
  return Update(q, Eigen::VectorXd::Zero(closed_->nv()));
}

Eigen::VectorXd ClosedChainDrive::InertiaDiagonal() const {
  Eigen::VectorXd diagonal(closed_->nv());
  Spread(H_w_.diagonal(), diagonal);
  return diagonal;
}

void ClosedChainDrive::CloseMotion(Eigen::VectorXd& v, Eigen::VectorXd& vdot) {
  if (!ok_) return;
  Select(v, w_);
  Select(vdot, wdot_);
  CalcTreeVelocity<double>(*closed_, w_, cluster_, v);
  CalcTreeAcceleration<double>(*closed_, w_, wdot_, cluster_, vdot);
}

void ClosedChainDrive::ReduceCoriolis(const Eigen::MatrixXd& H, const Eigen::MatrixXd& C,
                                      Eigen::MatrixXd& C_w) {
  HA_.noalias() = H * A_;
  C_w.noalias() = HA_.transpose() * Adot_;  // H is symmetric
  HA_.noalias() = C * A_;
  C_w.noalias() += A_.transpose() * HA_;
}

void ClosedChainDrive::ReduceJacobian(const Eigen::MatrixXd& J, const Eigen::MatrixXd& Jdot,
                                      Eigen::MatrixXd& J_w, Eigen::MatrixXd& Jdot_w) const {
  J_w.noalias() = J * A_;
  Jdot_w.noalias() = Jdot * A_;
  Jdot_w.noalias() += J * Adot_;
}

void ClosedChainDrive::ReduceForce(Eigen::VectorXd& force) {
  force_w_.noalias() = A_.transpose() * force;
  Spread(force_w_, force);
}

void ClosedChainDrive::CalcDampingForce(GainForm form, const Eigen::VectorXd& k,
                                        const Eigen::VectorXd& s, Eigen::VectorXd& K_D_s) {
  Select(k, k_w_);
  Select(s, w_);
  civita::CalcDampingForce(form, k_w_, H_w_, w_, scratch_w_, force_w_);
  Spread(force_w_, K_D_s);
}

void ClosedChainDrive::CalcAcceleration(const Eigen::MatrixXd& H, Eigen::VectorXd& force) {
  HA_.noalias() = H * A_;
  AHA_.noalias() = A_.transpose() * HA_;
  force_w_.noalias() = A_.transpose() * force;
  llt_.compute(AHA_);
  llt_.solveInPlace(force_w_);
  Spread(force_w_, force);
}

/// u = Bᵀ(BBᵀ)⁻¹ τ̄ with B = AᵀS_u.
bool ClosedChainDrive::Distribute(Eigen::VectorXd& tau) {
  if (driven_.empty() || nw() == 0) {
    tau.setZero();
    return true;
  }
  if (!ok_) return false;
  force_w_.noalias() = A_.transpose() * tau;
  drive_.setZero();
  for (const int iv : driven_) drive_.noalias() += A_.row(iv).transpose() * A_.row(iv);
  for (Eigen::Index a = 0; a < force_w_.size(); ++a) {
    if (!dropped_[static_cast<size_t>(a)]) continue;
    drive_(a, a) = 1;
    force_w_[a] = 0;
  }
  llt_.compute(drive_);
  const auto pivots = llt_.matrixLLT().diagonal();
  const double ratio = pivots.minCoeff() / pivots.maxCoeff();
  if (llt_.info() != Eigen::Success || !(ratio * ratio * kMaxDriveCondition > 1)) return false;
  llt_.solveInPlace(force_w_);
  tau.setZero();
  for (const int iv : driven_) tau[iv] = A_.row(iv).dot(force_w_);
  return true;
}

}  // namespace civita
