#include "civita/loop_drive.h"

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

LoopDrive::LoopDrive(const VelocitySpace& space, const Transmission& motors, std::string_view law)
    : space_(space), motors_(motors) {
  SpaceWorkspace<double> start(space_);
  const Status status = UpdateKinematics<double>(space_, space_.closed_start(),
                                                 Eigen::VectorXd::Zero(space_.nw()), start);
  if (!status.ok()) throw UserError(std::string(law) + ": " + Describe(space_, status));
  FindDriven(start.map(space_));
  SizeDrive();
}

/// Whether a motor acts on coordinate `a` of w, wherever the mechanism stands.
bool LoopDrive::IsReached(const VelocityMap<double>& map, int a) const {
  const std::span<const RowSupport::Entry> entries = map.support->entries();
  return std::any_of(entries.begin(), entries.end(), [&](const RowSupport::Entry& entry) {
    return entry.column == a && motors_.is_reached(entry.row);
  });
}

/// Which coordinates of w stand for the driven directions.
void LoopDrive::FindDriven(const VelocityMap<double>& map) {
  moments_ = Eigen::MatrixXd::Zero(motors_.num_driven(), space_.nw());
  CalcMotorMoments(map);
  driven_ = internal::FindColumnSpace(moments_, 1 / std::sqrt(kMaxDriveCondition)).pivots;
  std::sort(driven_.begin(), driven_.end());
  std::vector<int> undriven;
  for (int a = 0; a < space_.nw(); ++a) {
    if (std::binary_search(driven_.begin(), driven_.end(), a)) continue;
    (IsReached(map, a) ? undriven : rest_).push_back(a);
  }
  num_dropped_ = static_cast<int>(rest_.size());
  rest_.insert(rest_.end(), undriven.begin(), undriven.end());
}

/// The memory of Distribute.
void LoopDrive::SizeDrive() {
  const auto d = static_cast<Eigen::Index>(driven_.size());
  const auto r = static_cast<Eigen::Index>(rest_.size());
  const Eigen::Index m = motors_.num_driven(), k = motors_.N().cols();
  G_ = MG_ = factor_ = Eigen::MatrixXd::Zero(m, d);
  inertia_ = Eigen::MatrixXd::Zero(m, m);
  HQ_ = Eigen::MatrixXd::Zero(space_.nv(), m);
  HN_ = Eigen::MatrixXd::Zero(space_.nv(), k);
  NHN_ = Eigen::MatrixXd::Identity(k, k);
  NHQ_ = Eigen::MatrixXd::Zero(k, m);
  solution_ = Eigen::MatrixXd::Zero(m, r);
  heads_ = load_ = scale_ = Eigen::VectorXd::Zero(d);
  u_ = Eigen::VectorXd::Zero(m);
  N_w_ = Eigen::MatrixXd::Zero(space_.nw(), r);
  beside_.emplace(space_.nw(), r);
  drive_ = Eigen::MatrixXd::Identity(d, d);
  free_llt_.compute(NHN_);
  drive_llt_.compute(drive_);
}

std::vector<int> LoopDrive::UndrivenCoordinates() {
  if (num_undriven() == 0) return {};
  GatherDrivenMoments();
  CalcUndriven();
  std::vector<int> coordinates;
  for (int a = 0; a < space_.nw(); ++a) {
    const auto undriven = N_w_.row(a).tail(num_undriven());
    if (undriven.cwiseAbs().maxCoeff() > 1e-9) {
      coordinates.push_back(space_.independent()[static_cast<size_t>(a)]);
    }
  }
  return coordinates;
}

/// QᵀA.
void LoopDrive::CalcMotorMoments(const VelocityMap<double>& map) {
  Eigen::Index row = 0;
  for (const int iv : motors_.motors()) moments_.row(row++) = map.A.row(iv);
  if (motors_.shared().cols() == 0) return;
  moments_.bottomRows(motors_.shared().cols()).noalias() = motors_.shared().transpose() * map.A;
}

/// Sets inertia_ = (QᵀH⁻¹Q)⁻¹ = QᵀHQ − QᵀHN(NᵀHN)⁻¹NᵀHQ.
bool LoopDrive::CalcMotorInertia(const Eigen::MatrixXd& H) {
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

void LoopDrive::GatherDrivenMoments() {
  for (size_t j = 0; j < driven_.size(); ++j) {
    G_.col(static_cast<Eigen::Index>(j)) = moments_.col(driven_[j]);
  }
}

/// Sets N̄, of which BᵀA N̄ = 0: by rest and driven coordinates [1; −G⁺G_rest].
void LoopDrive::CalcUndriven() {
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

/// Leaves out of τ̄ what motors cannot do.
bool LoopDrive::LeaveOutUndriven(const Eigen::MatrixXd& H_w, Eigen::VectorXd& tau_w) {
  for (int k = 0; k < num_dropped_; ++k) tau_w[rest_[static_cast<size_t>(k)]] = 0;
  if (num_undriven() == 0) return true;
  CalcUndriven();
  return beside_->Project(H_w, N_w_, tau_w).ok();
}

/// u = M G (GᵀMG)⁻¹ τ̄ of the driven coordinates, with M = (QᵀH⁻¹Q)⁻¹ and G = QᵀA there. GᵀMG is
/// scaled to the diagonal 1, as inertias of one robot differ by many powers of ten.
Status LoopDrive::Distribute(const VelocityMap<double>& map, const Eigen::MatrixXd& H,
                             const Eigen::MatrixXd& H_w, Eigen::VectorXd& tau_w,
                             Eigen::VectorXd& tau) {
  if (driven_.empty()) {
    tau.setZero();
    return Status::kOk;
  }
  CalcMotorMoments(map);
  GatherDrivenMoments();
  if (!LeaveOutUndriven(H_w, tau_w) || !CalcMotorInertia(H)) return Status::kSingularDrive;
  MG_.noalias() = inertia_ * G_;
  drive_.noalias() = G_.transpose() * MG_;
  scale_ = drive_.diagonal().cwiseSqrt().cwiseInverse();
  for (Eigen::Index j = 0; j < load_.size(); ++j) {
    load_[j] = scale_[j] * tau_w[driven_[static_cast<size_t>(j)]];
    drive_.col(j).array() *= scale_.array() * scale_[j];
  }
  drive_llt_.compute(drive_);
  const auto pivots = drive_llt_.matrixLLT().diagonal();
  const double ratio = pivots.minCoeff() / pivots.maxCoeff();
  if (drive_llt_.info() != Eigen::Success || !scale_.allFinite() ||
      !(ratio * ratio * kMaxDriveCondition > 1)) {
    return Status::kSingularDrive;
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
  return Status::kOk;
}

}  // namespace civita
