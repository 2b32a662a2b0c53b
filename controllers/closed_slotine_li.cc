#include "civita/controllers/closed_slotine_li.h"

#include <Eigen/SVD>
#include <cmath>
#include <string>

#include "civita/cluster_dynamics.h"
#include "civita/controllers/damping_force.h"
#include "civita/controllers/kinetic_storage.h"
#include "civita/controllers/slotine_li.h"
#include "civita/error.h"

namespace civita {
namespace {

/// Maximum condition number of (AᵀS)(AᵀS)ᵀ, estimated by its pivots; beyond it the torques of the
/// driven coordinates grow without bound.
constexpr double kMaxDriveCondition = 1e10;

std::string Join(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined.empty() ? "none" : joined;
}

}  // namespace

ClosedSlotineLi::ClosedSlotineLi(const Model& model, const ControllerOptions& options)
    : Controller(model, kSlotineLiLaw, options),
      cluster_(closed()),
      error_(model.nv()),
      w_(Eigen::VectorXd::Zero(closed().nw())),
      H_w_(Eigen::MatrixXd::Zero(closed().nw(), closed().nw())),
      A_(Eigen::MatrixXd::Zero(model.nv(), closed().nw())),
      llt_(closed().nw()),
      v_r_(Eigen::VectorXd::Zero(model.nv())) {
  CIVITA_CHECK(closed().nv() == model.nv(),
               "the loops are of a tree with nv = " << closed().nv() << ", not " << model.nv());
  Lambda_w_ = k_w_ = w_r_ = wdot_r_ = s_w_ = K_D_s_ = g_w_ = tau_w_ = scratch_w_ = w_;
  C_w_ = drive_ = H_w_;
  passive_ = scratch_ = v_r_;
  dropped_.assign(static_cast<size_t>(closed().nw()), true);
  for (const ClusterModel::Cluster& cluster : closed().clusters()) {
    for (const int a : cluster.reduced) dropped_[static_cast<size_t>(a)] = false;
  }
  for (int iv = 0; iv < model.nv(); ++iv) {
    if (!options.passive.empty() && options.passive[static_cast<size_t>(iv)]) continue;
    driven_.push_back(iv);
  }
  for (size_t a = 0; a < dropped_.size(); ++a) {
    const int iv = closed().independent()[a];
    const bool passive = !options.passive.empty() && options.passive[static_cast<size_t>(iv)];
    dropped_[a] = dropped_[a] && passive;
  }
  CheckDrive();
}

void ClosedSlotineLi::CheckDrive() {
  const ClusterStatus status =
      UpdateKinematics<double>(closed(), closed().closed_start(), cluster_);
  if (!status.ok()) throw UserError("slotine_li: " + Describe(closed(), status));
  CalcClusterFrame<double>(closed(), cluster_, A_);
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(closed().nw(), static_cast<int>(driven_.size()));
  std::vector<std::string> driven;
  for (size_t j = 0; j < driven_.size(); ++j) {
    B.col(static_cast<Eigen::Index>(j)) = A_.row(driven_[j]).transpose();
    driven.push_back(model_.VelocityName(driven_[j]));
  }
  Eigen::Index wanted = closed().nw();
  for (const bool dropped : dropped_) wanted -= dropped ? 1 : 0;
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(B);
  svd.setThreshold(1 / std::sqrt(kMaxDriveCondition));
  const Eigen::Index rank = driven_.empty() ? 0 : svd.rank();
  if (rank >= wanted) return;
  throw UserError("slotine_li: the loops leave " + std::to_string(wanted) +
                  " independent velocities to be driven (" + Join(closed().IndependentNames()) +
                  "), and the joints that have motors (" + Join(driven) + ") drive " +
                  std::to_string(rank) +
                  " of them; more motors are needed, or another law, such as "
                  "pd_gravity");
}

ControlStatus ClosedSlotineLi::CalcControl(const Measurement& measured,
                                           const ReferenceState& reference, ControlOutput& output) {
  const Eigen::VectorXd& q = measured.q;
  const Eigen::VectorXd& v = measured.v;
  UpdateDynamics(q, v, output);
  CalcTrackingError(model_, q, v, reference, error_);
  const std::vector<int>& independent = closed().independent();
  for (Eigen::Index a = 0; a < w_.size(); ++a) {
    const int iv = independent[static_cast<size_t>(a)];
    Lambda_w_[a] = gain(kLambda)[iv];
    k_w_[a] = gain(kKD)[iv];
    w_[a] = v[iv];
    w_r_[a] = error_.v_d[iv] - Lambda_w_[a] * error_.e[iv];
    wdot_r_[a] = error_.vdot_d[iv] - Lambda_w_[a] * error_.edot[iv];
  }
  output.e = error_.e;
  if (!UpdateKinematics<double>(closed(), q, w_, cluster_).ok()) {
    output.tau.setZero();
    return ControlStatus::kSingular;
  }
  s_w_ = w_ - w_r_;
  CalcTreeVelocity<double>(closed(), w_r_, cluster_, v_r_);
  CalcTreeAcceleration<double>(closed(), w_r_, wdot_r_, cluster_, output.sdot_ref);
  output.s = v - v_r_;
  CalcReducedTorque(q);
  if (!Distribute(output.tau)) {
    output.tau.setZero();
    return ControlStatus::kSingular;
  }
  return FinishControl(output);
}

void ClosedSlotineLi::CalcReducedTorque(const Eigen::VectorXd& q) {
  CalcCoriolisMatrix<double>(closed(), factorization(), cluster_, C_w_, H_w_);
  CalcGravityForces<double>(closed(), cluster_, g_w_);
  CalcDampingForce(gain_form(), k_w_, H_w_, s_w_, scratch_w_, K_D_s_);
  passive_.setZero();
  AddPassiveForces(q, v_r_, passive_);
  CalcReducedForces<double>(closed(), passive_, cluster_, tau_w_);
  tau_w_ += g_w_ - K_D_s_;
  tau_w_.noalias() += H_w_ * wdot_r_;
  tau_w_.noalias() += C_w_ * w_r_;
}

/// u = Bᵀ(BBᵀ)⁻¹ τ̄ with B = AᵀS.
bool ClosedSlotineLi::Distribute(Eigen::VectorXd& tau) {
  CalcClusterFrame<double>(closed(), cluster_, A_);
  drive_.setZero();
  for (const int iv : driven_) drive_.noalias() += A_.row(iv).transpose() * A_.row(iv);
  for (Eigen::Index a = 0; a < w_.size(); ++a) {
    if (!dropped_[static_cast<size_t>(a)]) continue;
    drive_(a, a) = 1;
    tau_w_[a] = 0;
  }
  llt_.compute(drive_);
  const auto pivots = llt_.matrixLLT().diagonal();
  const double ratio = pivots.minCoeff() / pivots.maxCoeff();
  if (llt_.info() != Eigen::Success || !(ratio * ratio * kMaxDriveCondition > 1)) return false;
  llt_.solveInPlace(tau_w_);
  tau.setZero();
  for (const int iv : driven_) tau[iv] = A_.row(iv).dot(tau_w_);
  return true;
}

StorageState ClosedSlotineLi::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  const Eigen::VectorXd& s = output.s;
  StorageState storage = CalcKineticStorage(plant, output, scratch_);
  storage.P = s_w_.dot(K_D_s_) + CalcPassiveDissipation(v_r_, s);
  return storage;
}

}  // namespace civita
