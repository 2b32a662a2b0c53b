#include "sim/simulation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/coriolis.h"
#include "core/error.h"
#include "core/kinematics.h"
#include "core/mass_matrix.h"
#include "core/rnea.h"

namespace civita {

StepRecord::StepRecord(const Scene& scene)
    : StepRecord(scene.plant.nq(), scene.plant.nv(),
                 static_cast<int>(scene.controller->signal_names().size()),
                 scene.legs ? static_cast<int>(scene.legs->feet.size()) : 0) {}

StepRecord::StepRecord(int nq, int nv, int num_signals, int num_feet)
    : q(Eigen::VectorXd::Zero(nq)),
      v(Eigen::VectorXd::Zero(nv)),
      q_d(q),
      e(v),
      s(v),
      tau(v),
      signals(Eigen::VectorXd::Zero(num_signals)),
      legs(num_feet) {}

Simulation::Simulation(std::unique_ptr<Scene> scene)
    : scene_(std::move(scene)),
      data_(mj_makeData(scene_->mj.get())),
      physics_(scene_->mj.get()),
      plant_(&scene_->plant),
      plant_workspace_(scene_->plant),
      output_(*scene_->controller),
      record_(*scene_) {
  mjModel* m = scene_->mj.get();
  const SceneConfig& config = scene_->config;
  const double timestep = m->opt.timestep;
  control_dt_ = timestep;
  if (config.mode == ControlMode::kHeld) {
    substeps_ = static_cast<int>(std::lround(1 / (config.rate_hz * timestep)));
    CIVITA_CHECK(substeps_ >= 1 && std::abs(substeps_ * timestep * config.rate_hz - 1) < 1e-6,
                 "rate_hz " << config.rate_hz << " with a timestep of " << timestep << " s");
    control_dt_ = 1 / config.rate_hz;
  } else {
    m->opt.disableflags |= mjDSBL_CONTACT;
    if (scene_->payload) scene_->payload->mj->opt.disableflags |= mjDSBL_CONTACT;
  }
  const double rate = std::round(1 / control_dt_);
  if (std::abs(rate * control_dt_ - 1) < 1e-9) rate_ = rate;

  const int nq = scene_->plant.nq();
  const int nv = scene_->plant.nv();
  q_ = q_start_ = Eigen::VectorXd::Zero(nq);
  v_ = vdot_ = applied_ = tau_ext_ = unknown_ = v_start_ = tangent_ = Eigen::VectorXd::Zero(nv);
  plant_H_ = plant_Hdot_ = residual_C_ = residual_H_ = Eigen::MatrixXd::Zero(nv, nv);
  stage_qdot_ = stage_vdot_ = Eigen::MatrixXd::Zero(nv, 4);
  reference_ = {q_, v_, v_};
  if (scene_->legs) leg_probe_.emplace(*m, *scene_->legs, scene_->q_home);
  foot_force_ = record_.legs.foot_force;
  measured_ = {0, q_, v_, foot_force_};
  late_torque_ = v_;
  const auto steps_of = [this](double delay_s) {
    return static_cast<int>(std::lround(delay_s / control_dt_));
  };
  torques_under_way_ = Eigen::MatrixXd::Zero(nv, 1 + steps_of(config.actuation_delay_s));
  if (config.mode == ControlMode::kHeld) {
    sensors_.emplace(scene_->plant,
                     Sensors::Options{.resolution = config.encoder_resolution,
                                      .filter_hz = config.velocity_filter_hz,
                                      .delay = steps_of(config.delay_s),
                                      .noise = config.noise,
                                      .seed = config.seed,
                                      .num_feet = static_cast<int>(foot_force_.size()),
                                      .dt = control_dt_});
  }
  if (scene_->closed) closer_.emplace(scene_->closed);
  law_rate_ = law_start_ = law_stage_ = controller().state();
  stage_law_rate_ = Eigen::MatrixXd::Zero(law_rate_.size(), 4);
  last_good_.resize(static_cast<size_t>(mj_stateSize(m, kUndoState)));
  Reset();
}

double Simulation::TimeOf(long step) const {
  const auto k = static_cast<double>(step);
  return rate_ > 0 ? k / rate_ : k * control_dt_;
}

void Simulation::Reset() {
  mj_resetData(mj(), data_.get());
  Eigen::Map<Eigen::VectorXd>(data_->qpos, scene_->plant.nq()) = scene_->q_start;
  Eigen::Map<Eigen::VectorXd>(data_->qvel, scene_->plant.nv()) = scene_->v_start;
  failure_ = {};
  added_pushes_.clear();
  drive_ = {};
  step_ = 0;
  saturated_steps_ = 0;
  lost_ = 0;
  balance_ = 0;
  rebase_ = true;
  pushed_ = false;
  tau_ext_.setZero();
  scene_->reference->Sample(0, reference_);
  if (closer_) closer_->Close(scene_->q_start, reference_);
  if (leg_probe_) {
    // What the feet feel before any torque; after Evaluate, with that of the first step.
    mj_forward(mj(), data_.get());
    ReadLegs();
    foot_force_ = record_.legs.foot_force;
  }
  measured_ = {0, scene_->q_start, scene_->v_start, foot_force_};
  if (sensors_) sensors_->Reset();
  scene_->controller->ResetState(measured_, reference_);
  Evaluate();
  foot_force_ = record_.legs.foot_force;
}

int Simulation::mujoco_warnings() const {
  int count = 0;
  for (const mjWarningStat& warning : data_->warning) count += warning.number;
  return count;
}

void Simulation::SetGain(std::string_view key, const Eigen::VectorXd& value) {
  scene_->controller->set_gain(key, value);
  rebase_ = true;
}

void Simulation::SetFactorization(Factorization factorization) {
  scene_->controller->set_factorization(std::move(factorization));
}

void Simulation::AddPush(const Push& push) {
  CIVITA_CHECK(push.body > 0 && push.body < mj()->nbody, "body " << push.body);
  std::erase_if(added_pushes_,
                [this](const Push& p) { return p.start_s + p.duration_s < time() - control_dt_; });
  added_pushes_.push_back(push);
  added_pushes_.back().start_s += time();
}

void Simulation::SetPerturbation(int body, const double (&xfrc)[6]) {
  CIVITA_CHECK(body >= 0 && body < mj()->nbody, "body " << body);
  perturbed_body_ = body;
  std::copy_n(xfrc, 6, perturbation_);
}

long Simulation::RunFor(long n) {
  long taken = 0;
  while (taken < n && Step()) ++taken;
  return taken;
}

Simulation::Residuals Simulation::CalcResiduals() {
  const Model& plant = *plant_;
  Residuals residuals;
  ReadMotion();
  UpdateKinematics(plant, q_, v_, plant_workspace_);
  CalcCoriolisMatrix(plant, controller().factorization(), plant_workspace_, residual_C_,
                     residual_H_);
  CalcMassMatrixDerivative(plant, plant_workspace_, residual_H_);
  residual_H_ -= residual_C_ + residual_C_.transpose();
  residuals.skew = residual_H_.cwiseAbs().maxCoeff();

  CalcBiasForces(plant, plant_workspace_, vdot_);
  CalcGravityForces(plant, plant_workspace_, tangent_);
  vdot_ -= tangent_;
  vdot_.noalias() -= residual_C_ * v_;
  residuals.bias = vdot_.cwiseAbs().maxCoeff();

  const double speed = v_.norm();
  if (speed > 0 && !controller().factorization().torsion_free()) {
    plant_H_ = residual_C_;
    CalcCoriolisMatrix(plant, Factorization(), plant_workspace_, residual_C_, residual_H_);
    residuals.torsion = (plant_H_ - residual_C_).cwiseAbs().maxCoeff() / speed;
  }
  residuals.Vdot = std::abs(record_.Vdot + record_.P);
  return residuals;
}

void Simulation::Save(Saved* saved) const {
  saved->t = TimeOf(step_);
  saved->step = step_;
  saved->state.resize(static_cast<size_t>(mj_stateSize(mj(), mjSTATE_INTEGRATION)));
  mj_getState(mj(), data_.get(), saved->state.data(), mjSTATE_INTEGRATION);
  saved->law_state = controller().state();
  if (sensors_) saved->sensors = sensors_->state();
  saved->foot_force = foot_force_;
  saved->torques_under_way = torques_under_way_;
  saved->drive = drive_.state();
  saved->tau_ext = tau_ext_;
  saved->V0 = V0_;
  saved->lost = lost_;
  saved->balance = balance_;
  saved->saturated_steps = saturated_steps_;
}

void Simulation::Restore(const Saved& saved) {
  mj_setState(mj(), data_.get(), saved.state.data(), mjSTATE_INTEGRATION);
  scene_->controller->set_state(saved.law_state);
  if (sensors_) sensors_->set_state(saved.sensors);
  foot_force_ = saved.foot_force;
  torques_under_way_ = saved.torques_under_way;
  for (mjWarningStat& warning : data_->warning) warning = {};
  failure_ = {};
  step_ = saved.step;
  drive_.set_state(saved.drive);
  tau_ext_ = saved.tau_ext;
  V0_ = saved.V0;
  lost_ = saved.lost;
  balance_ = saved.balance;
  saturated_steps_ = saved.saturated_steps;
  pushed_ = true;
  Evaluate();
}

}  // namespace civita
