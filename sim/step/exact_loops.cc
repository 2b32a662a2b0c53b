#include "civita/sim/exact_loops.h"

#include <Eigen/Cholesky>
#include <utility>

#include "civita/scenes/plant/stiffness.h"
#include "civita/space_dynamics.h"

namespace civita {

ExactLoops::ExactLoops(std::shared_ptr<const VelocitySpace> closed)
    : closed_(std::move(closed)),
      workspace_(*closed_),
      q_(Eigen::VectorXd::Zero(closed_->tree().nq())),
      v_(Eigen::VectorXd::Zero(closed_->nv())),
      vdot_(v_),
      force_(v_),
      w_(Eigen::VectorXd::Zero(closed_->nw())),
      wdot_(w_),
      p_(w_),
      D_(CalcDampingMatrix(closed_->tree())),
      A_(Eigen::MatrixXd::Zero(v_.size(), w_.size())),
      DA_(A_),
      H_(Eigen::MatrixXd::Zero(w_.size(), w_.size())),
      system_(H_) {}

void ExactLoops::ReadMotion(const mjData& d) {
  q_ = Eigen::Map<const Eigen::VectorXd>(d.qpos, q_.size());
  for (Eigen::Index a = 0; a < w_.size(); ++a) {
    w_[a] = d.qvel[closed_->independent()[static_cast<size_t>(a)]];
  }
}

bool ExactLoops::Close(mjData* d) {
  ReadMotion(*d);
  if (!CloseLoops(*closed_, workspace_, q_).ok()) return false;
  if (!UpdateKinematics<double>(*closed_, q_, workspace_).ok()) return false;
  CalcTreeVelocity<double>(*closed_, w_, workspace_, v_);
  Eigen::Map<Eigen::VectorXd>(d->qpos, q_.size()) = q_;
  Eigen::Map<Eigen::VectorXd>(d->qvel, v_.size()) = v_;
  return true;
}

bool ExactLoops::CalcAcceleration(mjData* d) {
  ReadMotion(*d);
  if (!UpdateKinematics<double>(*closed_, q_, w_, workspace_).ok()) return false;
  // qfrc_smooth = all forces − qfrc_bias.
  force_ = Eigen::Map<const Eigen::VectorXd>(d->qfrc_smooth, v_.size()) +
           Eigen::Map<const Eigen::VectorXd>(d->qfrc_bias, v_.size());
  CalcReducedForces<double>(*closed_, force_, workspace_, wdot_);
  if (!CalcForwardDynamics<double>(*closed_, wdot_, workspace_, wdot_)) return false;
  CalcTreeAcceleration<double>(*closed_, w_, wdot_, workspace_, vdot_);
  Eigen::Map<Eigen::VectorXd>(d->qacc, vdot_.size()) = vdot_;
  return true;
}

bool ExactLoops::StepImplicitly(const mjModel& m, double h, mjData* d) {
  CalcMassMatrix<double>(*closed_, workspace_, H_);
  CalcVelocityMap<double>(*closed_, workspace_, A_);
  DA_.noalias() = D_ * A_;
  system_.noalias() = A_.transpose() * DA_;
  system_ = H_ + h * system_;
  p_.noalias() = H_ * wdot_;
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(system_);
  if (factor.info() != Eigen::Success) return false;
  factor.solveInPlace(p_);
  w_ += h * p_;
  CalcTreeVelocity<double>(*closed_, w_, workspace_, v_);
  mj_integratePos(&m, d->qpos, v_.data(), h);
  Eigen::Map<Eigen::VectorXd>(d->qvel, v_.size()) = v_;
  return Close(d);
}

}  // namespace civita
