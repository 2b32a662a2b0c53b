#include "civita/closed_chain_drive.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "base/decompositions.h"
#include "civita/error.h"
#include "civita/space_dynamics.h"
#include "core/space/internal/loop_layout.h"
#include "core/spatial/internal/small_dense.h"

namespace civita {
namespace {

/// Maximum condition number of the motors' work on the driven directions, squared, estimated by
/// pivots; beyond it their torques grow without bound.
constexpr double kMaxDriveCondition = 1e10;

}  // namespace

ClosedChainDrive::ClosedChainDrive(std::shared_ptr<const VelocitySpace> closed,
                                   const Transmission& motors, std::string_view law)
    : closed_(std::move(closed)),
      cluster_(*closed_),
      motors_(motors),
      independent_(Eigen::VectorXd::Zero(closed_->nv())),
      w_(Eigen::VectorXd::Zero(closed_->nw())),
      H_w_(Eigen::MatrixXd::Zero(closed_->nw(), closed_->nw())),
      map_(internal::LayoutOf(*closed_).support),
      products_(map_.A),
      llt_(closed_->nw()) {
  wdot_ = force_w_ = w_;
  AHA_ = H_w_;
  for (const int iv : closed_->independent()) independent_[iv] = 1;
  const LoopStatus status = UpdateKinematics<double>(*closed_, closed_->closed_start(), cluster_);
  if (!status.ok()) throw UserError(std::string(law) + ": " + Describe(*closed_, status));
  CalcVelocityMap<double>(*closed_, cluster_, map_.A);
  FindDriven();
  SizeDrive();
}

/// Whether a motor acts on coordinate `a` of w, wherever the mechanism stands.
bool ClosedChainDrive::IsReached(int a) const {
  for (int iv = 0; iv < closed_->nv(); ++iv) {
    const std::span<const int> support = (*map_.support)[iv];
    if (motors_.is_reached(iv) && std::find(support.begin(), support.end(), a) != support.end()) {
      return true;
    }
  }
  return false;
}

/// Which coordinates of w stand for the driven directions.
void ClosedChainDrive::FindDriven() {
  moments_ = Eigen::MatrixXd::Zero(motors_.num_driven(), nw());
  CalcMotorMoments();
  driven_ = internal::FindColumnSpace(moments_, 1 / std::sqrt(kMaxDriveCondition)).pivots;
  std::sort(driven_.begin(), driven_.end());
  std::vector<int> undriven;
  for (int a = 0; a < nw(); ++a) {
    if (std::binary_search(driven_.begin(), driven_.end(), a)) continue;
    (IsReached(a) ? undriven : rest_).push_back(a);
  }
  num_dropped_ = static_cast<int>(rest_.size());
  rest_.insert(rest_.end(), undriven.begin(), undriven.end());
}

/// The memory of Distribute.
void ClosedChainDrive::SizeDrive() {
  const auto d = static_cast<Eigen::Index>(driven_.size());
  const auto r = static_cast<Eigen::Index>(rest_.size());
  const Eigen::Index m = motors_.num_driven(), k = motors_.N().cols();
  G_ = MG_ = factor_ = Eigen::MatrixXd::Zero(m, d);
  inertia_ = Eigen::MatrixXd::Zero(m, m);
  HQ_ = Eigen::MatrixXd::Zero(closed_->nv(), m);
  HN_ = Eigen::MatrixXd::Zero(closed_->nv(), k);
  NHN_ = Eigen::MatrixXd::Identity(k, k);
  NHQ_ = Eigen::MatrixXd::Zero(k, m);
  solution_ = Eigen::MatrixXd::Zero(m, r);
  heads_ = load_ = scale_ = Eigen::VectorXd::Zero(d);
  y_ = Eigen::VectorXd::Zero(r);
  u_ = Eigen::VectorXd::Zero(m);
  N_w_ = HN_w_ = Eigen::MatrixXd::Zero(nw(), r);
  NHN_w_ = Eigen::MatrixXd::Identity(r, r);
  drive_ = Eigen::MatrixXd::Identity(d, d);
  free_llt_.compute(NHN_);
  rest_llt_.compute(NHN_w_);
  drive_llt_.compute(drive_);
}

std::vector<int> ClosedChainDrive::UndrivenCoordinates() {
  if (num_undriven() == 0) return {};
  GatherDrivenMoments();
  CalcUndriven();
  std::vector<int> coordinates;
  for (int a = 0; a < nw(); ++a) {
    const auto undriven = N_w_.row(a).tail(num_undriven());
    if (undriven.cwiseAbs().maxCoeff() > 1e-9) {
      coordinates.push_back(closed_->independent()[static_cast<size_t>(a)]);
    }
  }
  return coordinates;
}

/// QᵀA.
void ClosedChainDrive::CalcMotorMoments() {
  Eigen::Index row = 0;
  for (const int iv : motors_.motors()) moments_.row(row++) = map_.A.row(iv);
  if (motors_.shared().cols() == 0) return;
  moments_.bottomRows(motors_.shared().cols()).noalias() = motors_.shared().transpose() * map_.A;
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
  map_ = cluster_.map(*closed_);
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
  ChangeCoriolisMatrix<double>(map_, {.C = C, .H = H}, products_, C_w);
}

void ClosedChainDrive::ReduceInertiaRate(const Eigen::MatrixXd& H, const Eigen::MatrixXd& Hdot,
                                         Eigen::MatrixXd& Hdot_w) {
  ChangeMassMatrixRate<double>(map_, H, Hdot, products_, Hdot_w);
}

void ClosedChainDrive::ReduceJacobian(const Eigen::MatrixXd& J, const Eigen::MatrixXd& Jdot,
                                      Eigen::MatrixXd& J_w, Eigen::MatrixXd& Jdot_w) const {
  ChangeJacobian<double>(map_, J, J_w);
  ChangeJacobianRate<double>(map_, J, Jdot, Jdot_w);
}

void ClosedChainDrive::ReduceForce(Eigen::VectorXd& force) {
  ChangeForces<double>(map_, force, force_w_);
  Spread(force_w_, force);
}

void ClosedChainDrive::ReduceMomentum(Eigen::VectorXd& p, Eigen::VectorXd& rate) {
  ChangeMomentumRate<double>(map_, p, rate, force_w_);
  Spread(force_w_, rate);
  ReduceForce(p);
}

void ClosedChainDrive::CalcAcceleration(const Eigen::MatrixXd& H, Eigen::VectorXd& force) {
  ChangeMassMatrix<double>(map_, H, products_, AHA_);
  ChangeForces<double>(map_, force, force_w_);
  llt_.compute(AHA_);
  llt_.solveInPlace(force_w_);
  Spread(force_w_, force);
}

/// Sets inertia_ = (QᵀH⁻¹Q)⁻¹ = QᵀHQ − QᵀHN(NᵀHN)⁻¹NᵀHQ.
bool ClosedChainDrive::CalcMotorInertia(const Eigen::MatrixXd& H) {
  const std::vector<int>& motors = motors_.motors();
  Eigen::Index column = 0;
  for (const int iv : motors) HQ_.col(column++) = H.col(iv);
  const Eigen::Index shared = motors_.shared().cols();
  if (shared > 0) HQ_.rightCols(shared).noalias() = H * motors_.shared();
  Eigen::Index row = 0;
  for (const int iv : motors) inertia_.row(row++) = HQ_.row(iv);
  if (shared > 0) inertia_.bottomRows(shared).noalias() = motors_.shared().transpose() * HQ_;
  if (NHN_.size() == 0) return true;
  HN_.noalias() = H * motors_.N();
  NHN_.noalias() = motors_.N().transpose() * HN_;
  NHQ_.noalias() = motors_.N().transpose() * HQ_;
  free_llt_.compute(NHN_);
  if (free_llt_.info() != Eigen::Success) return false;
  free_llt_.matrixL().solveInPlace(NHQ_);
  inertia_.noalias() -= NHQ_.transpose() * NHQ_;
  return true;
}

void ClosedChainDrive::GatherDrivenMoments() {
  for (size_t j = 0; j < driven_.size(); ++j) {
    G_.col(static_cast<Eigen::Index>(j)) = moments_.col(driven_[j]);
  }
}

/// Sets N̄, of which BᵀA N̄ = 0: by rest and driven coordinates [1; −G⁺G_rest].
void ClosedChainDrive::CalcUndriven() {
  factor_ = G_;
  internal::FactorQr<double>(factor_, heads_);
  for (size_t k = 0; k < rest_.size(); ++k) {
    solution_.col(static_cast<Eigen::Index>(k)) = -moments_.col(rest_[k]);
  }
  internal::SolveQrInPlace<double>(factor_, heads_, solution_);
  N_w_.setZero();
  for (size_t k = 0; k < rest_.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    N_w_(rest_[k], c) = 1;
    for (size_t j = 0; j < driven_.size(); ++j) {
      N_w_(driven_[j], c) = solution_(static_cast<Eigen::Index>(j), c);
    }
  }
}

/// Leaves out of force_w_ what motors cannot do.
bool ClosedChainDrive::LeaveOutUndriven() {
  for (int k = 0; k < num_dropped_; ++k) force_w_[rest_[static_cast<size_t>(k)]] = 0;
  if (num_undriven() == 0) return true;
  CalcUndriven();
  HN_w_.noalias() = H_w_ * N_w_;
  NHN_w_.noalias() = N_w_.transpose() * HN_w_;
  rest_llt_.compute(NHN_w_);
  if (rest_llt_.info() != Eigen::Success) return false;
  y_.noalias() = N_w_.transpose() * force_w_;
  rest_llt_.solveInPlace(y_);
  force_w_.noalias() -= HN_w_ * y_;
  return true;
}

/// u = M G (GᵀMG)⁻¹ τ̄ of the driven coordinates, with M = (QᵀH⁻¹Q)⁻¹ and G = QᵀA there. GᵀMG is
/// scaled to the diagonal 1, as inertias of one robot differ by many powers of ten.
bool ClosedChainDrive::Distribute(const Eigen::MatrixXd& H, Eigen::VectorXd& tau) {
  if (driven_.empty()) {
    tau.setZero();
    return true;
  }
  if (!ok_) return false;
  ChangeForces<double>(map_, tau, force_w_);
  CalcMotorMoments();
  GatherDrivenMoments();
  if (!LeaveOutUndriven() || !CalcMotorInertia(H)) return false;
  MG_.noalias() = inertia_ * G_;
  drive_.noalias() = G_.transpose() * MG_;
  scale_ = drive_.diagonal().cwiseSqrt().cwiseInverse();
  for (Eigen::Index j = 0; j < load_.size(); ++j) {
    load_[j] = scale_[j] * force_w_[driven_[static_cast<size_t>(j)]];
    drive_.col(j).array() *= scale_.array() * scale_[j];
  }
  drive_llt_.compute(drive_);
  const auto pivots = drive_llt_.matrixLLT().diagonal();
  const double ratio = pivots.minCoeff() / pivots.maxCoeff();
  if (drive_llt_.info() != Eigen::Success || !(ratio * ratio * kMaxDriveCondition > 1)) {
    return false;
  }
  drive_llt_.solveInPlace(load_);
  load_.array() *= scale_.array();
  u_.noalias() = MG_ * load_;
  tau.setZero();
  for (size_t j = 0; j < motors_.motors().size(); ++j) {
    tau[motors_.motors()[j]] = u_[static_cast<Eigen::Index>(j)];
  }
  const Eigen::Index shared = motors_.shared().cols();
  if (shared > 0) tau.noalias() += motors_.shared() * u_.tail(shared);
  return true;
}

}  // namespace civita
