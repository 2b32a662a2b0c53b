#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "civita/controllers/legs/stepping_state.h"
#include "civita/coriolis.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/sim/scene_unit.h"
#include "civita/sim/simulation.h"

// The control loop: implementation of one step of a Simulation.

namespace civita {
namespace {

/// Speed beyond any robot's; a run that reaches it has diverged.
constexpr double kAbsurdSpeed = 1e6;

/// The classical fourth-order Runge–Kutta method: times of the stages and their weights.
constexpr double kStageTime[4] = {0, 0.5, 0.5, 1};
constexpr double kStageWeight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

using internal::LapClock;

Eigen::Map<const Eigen::VectorXd> AsVector(const mjtNum* x, mjtSize n) { return {x, n}; }

/// Index of a non-finite entry of x, otherwise of its largest.
Eigen::Index Worst(const Eigen::Ref<const Eigen::VectorXd>& x) {
  Eigen::Index worst = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return i;
    if (std::abs(x[i]) > std::abs(x[worst])) worst = i;
  }
  return worst;
}

/// θ̇ for q = q₀ ⊕ θ from the velocity v: J_r⁻¹(θ) ω for rotations.
void CalcTangentRate(const Model& model, const Eigen::VectorXd& theta,
                     const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Ref<Eigen::VectorXd> rate) {
  rate = v;
  for (const Model::NamedJoint& joint : model.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation < 0) continue;
    const int iv = joint.iv + rotation;
    const Eigen::Matrix3d J_inverse = RightJacobianInverse(theta.segment<3>(iv));
    rate.segment<3>(iv).noalias() = J_inverse * v.segment<3>(iv);
  }
}

}  // namespace

void Simulation::ReadMotion() {
  q_ = AsVector(data_->qpos, q_.size());
  v_ = AsVector(data_->qvel, v_.size());
}

void Simulation::SelectPlant(double t) {
  const LoadedPlant* payload = scene_->payload.get();
  const bool loaded = payload != nullptr && t >= payload->at_s - 0.5 * control_dt_;
  plant_ = &plants_[loaded ? 1 : 0];
}

void Simulation::ApplyPushes() {
  mjtNum* const xfrc = data_->xfrc_applied;
  if (pushed_ || is_lent_) {
    std::fill_n(xfrc, 6 * mj()->nbody, 0.0);
    joint_push_.setZero();
  }
  pushed_ = false;
  const double t = data_->time;
  const auto apply = [&](const Push& push) {
    const double share = push.ShareAt(t, control_dt_);
    if (share == 0) return;
    if (push.joint >= 0) {
      AddJointPush(*plant_->physics, push, share, joint_push_);
    } else {
      civita::AddPush(*plant_->physics, push, share, data_.get());
    }
    pushed_ = true;
  };
  for (const Push& push : scene_->pushes) apply(push);
  for (const AddedPush& added : moves_.pushes) apply(added.At(t, control_dt_));
  for (std::size_t i = 0; i < moves_.forces.size(); ++i) xfrc[i] += moves_.forces[i];
  if (!moves_.forces.empty()) pushed_ = true;
}

void Simulation::ApplyThrows() {
  const auto apply = [this](const Throw& thrown) {
    thrower_.Apply(thrown, data_.get());
    turning_->Break();
    rebase_ = true;
    record_.thrown = true;
  };
  const ThrowConfig& planned = scene_->config.thrown;
  if (step_ == planned_throw_) apply({*planned.size, planned.seed});
  if (moves_.thrown && moves_.thrown->step == step_) apply(moves_.thrown->thrown);
}

/// Loose objects have no desired motion: theirs is that which is measured, without any error.
void Simulation::SampleReference(double t) {
  reference_.body = {};  // most references give no command
  scene_->reference->Sample(t, reference_);
  for (const LooseJoint& joint : scene_->free_parts.loose) {
    reference_.q.segment(joint.iq, joint.nq) = measured_.q.segment(joint.iq, joint.nq);
    reference_.v.segment(joint.iv, joint.nv) = measured_.v.segment(joint.iv, joint.nv);
    reference_.vdot.segment(joint.iv, joint.nv).setZero();
  }
}

bool Simulation::UpdateControl(double t) {
  LapClock clock;
  ReadMotion();
  measured_.t = t;
  if (sensors_) {
    sensors_->Measure(q_, v_, own_.foot_force, measured_);
  } else {
    measured_.q = q_;
    measured_.v = v_;
  }
  const double sensors_s = clock.Lap();
  record_.sensors_s += sensors_s;
  SampleReference(t);
  drive_.Apply(&reference_.body);
  if (closer_) closer_->Close(q_, reference_);
  const Status status = scene_->controller->CalcControl(measured_, reference_, output_);
  record_.kinematics_s += output_.kinematics_s;
  record_.matrices_s += output_.matrices_s;
  record_.law_s += output_.law_s;
  if (const auto legs = scene_->controller->stepping()) record_.qp_s += legs->qp_s;
  if (const char* resized = FindResized()) {
    Fail(std::string("the law has resized output.") + resized, FailureCause::kLaw);
    return false;
  }
  if (status) {
    if (own_torque_.size() > 0) output_.tau = own_torque_;
    // Drives set their coordinates of qfrc_applied, pushes on joints add to any.
    Eigen::Map<Eigen::VectorXd> joint_forces(data_->qfrc_applied, v_.size());
    joint_forces.setZero();
    if (scene_->actuation.Apply(DelayTorque(), data_.get(), applied_)) record_.saturated = true;
    joint_forces += joint_push_;
    scene_->controller->CalcStateRate(applied_, output_, law_rate_);
    record_.control_s += sensors_s + clock.Lap();
    return true;
  }
  if (status == Status::kSingularLoops || status == Status::kSingularCoordinates ||
      status == Status::kSingularDrive) {
    return FailSingular();
  }
  Fail((status == Status::kNotFinite ? "the control torque is not a finite number"
                                     : Describe(status)) +
       "; the fastest joint is " + scene_->plant.VelocityName(static_cast<int>(Worst(v_))));
  return false;
}

bool Simulation::FailSingular() {
  const SceneConfig& config = scene_->config;
  const std::string what = config.has_own_coordinates()
                               ? "the coordinates '" + config.coordinates + "' do not exist here"
                               : "closed loops are in a singular configuration";
  Fail(what + "; the fastest joint is " + scene_->plant.VelocityName(static_cast<int>(Worst(v_))));
  return false;
}

/// The torque due at the joints: the law's of some steps ago; before that, of step 0.
const Eigen::VectorXd& Simulation::DelayTorque() {
  const Eigen::Index n = own_.torques_under_way.cols();
  if (n == 1) return output_.tau;
  if (step_ == 0) own_.torques_under_way.colwise() = output_.tau;
  own_.torques_under_way.col(step_ % n) = output_.tau;
  late_torque_ = own_.torques_under_way.col((step_ + 1) % n);
  return late_torque_;
}

void Simulation::ReadLegs() {
  if (leg_probe_) leg_probe_->Read(*plant_->physics, *data_, &record_.legs);
}

void Simulation::BeginRecord() {
  record_.kinematics_s = record_.matrices_s = record_.law_s = record_.qp_s = 0;
  record_.sensors_s = record_.control_s = record_.physics_s = record_.plant_s = 0;
  record_.saturated = false;
  record_.constrained = false;
  record_.thrown = false;
}

void Simulation::RecordState(double t) {
  record_.t = t;
  record_.q = q_;
  record_.v = v_;
  record_.q_d = reference_.q;
  record_.e = output_.e;
  record_.s = output_.s;
  record_.tau = applied_;
  record_.signals = output_.signals;
  if (splitter_) splitter_->Split(measured_, controller(), output_, &record_.terms);
}

void Simulation::RecordTurning() {
  record_.twist = turning_->twist();
  record_.ideal_turning = turning_->ideal_turning();
  record_.step_length = turning_->step_length();
}

// Ḣ = C + Cᵀ takes less than Ḣ alone, and nothing where the law has C already. Of loops the law has
// it where they are closed.
void Simulation::UpdatePlant() {
  const Controller& law = controller();
  const bool has_C =
      !scene_->closed && law.info().uses_factorization && law.factorization().admissible();
  if (has_C && law.model().id() == plant_->model.id() && measured_.q == q_ && measured_.v == v_) {
    plant_H_ = law.H();
    plant_Hdot_ = law.C() + law.C().transpose();
    return;
  }
  UpdateKinematics(plant_->model, q_, v_, plant_->workspace);
  CalcCoriolisMatrix(plant_->model, Factorization(), plant_->workspace,
                     {.C = plant_C_, .H = plant_H_});
  plant_Hdot_ = plant_C_ + plant_C_.transpose();
}

PlantState Simulation::plant_state() const {
  return {plant_->model, q_, v_, vdot_, plant_H_, plant_Hdot_};
}

StorageState Simulation::CalcPlantStorage() const {
  return scene_->controller->CalcStorage(plant_state(), output_);
}

void Simulation::CalcExternalForces() {
  own_.tau_ext = joint_push_;
  if (scene_->legs) {
    unknown_ = AsVector(data_->qfrc_constraint, v_.size());
    scene_->controller->AddUncounted(unknown_, own_.tau_ext);
  }
  if (!pushed_) return;
  for (int body = 1; body < mj()->nbody; ++body) {
    const mjtNum* xfrc = data_->xfrc_applied + 6 * body;
    if (std::all_of(xfrc, xfrc + 6, [](mjtNum x) { return x == 0; })) continue;
    mj_applyFT(plant_->physics, data_.get(), xfrc, xfrc + 3, data_->xipos + 3 * body, body,
               own_.tau_ext.data());
  }
}

double Simulation::ExternalPower() {
  const MomentumObserver* observer = controller().observer();
  unknown_ = own_.tau_ext;
  if (observer != nullptr && observer->compensates()) unknown_ -= observer->r();
  if (unknown_.isZero(0)) return 0;
  return scene_->controller->CalcExternalPower(plant_state(), unknown_, output_);
}

bool Simulation::Step() {
  if (failure_.failed) return false;
  LapClock clock;
  data_->time = TimeOf(step_);
  mj_getState(mj(), data_.get(), last_good_.data(), kUndoState);
  BeginRecord();
  SelectPlant(data_->time);
  ApplyPushes();
  ApplyThrows();
  law_start_ = controller().state();
  bool stepped = false;
  const auto step = [&] {
    stepped = scene_->config.mode == ControlMode::kEveryStage ? StepEveryStage() : StepHeld();
  };
  if (!Guard(step) || !stepped) {
    mj_setState(mj(), data_.get(), last_good_.data(), kUndoState);
    scene_->controller->set_state(law_start_);
    return false;
  }
  turning_->Add(record_.q, record_.s);
  RecordTurning();
  if (record_.saturated) ++own_.saturated_steps;
  if (fall_probe_) fall_probe_->Add(record_, &own_.fall_watch);
  drive_.Advance(control_dt_);
  ++step_;
  data_->time = TimeOf(step_);
  record_.plant_s = clock.Lap() - record_.control_s - record_.physics_s;
  return true;
}

bool Simulation::StepHeld() {
  const double t = data_->time;
  if (!UpdateControl(t)) return false;
  RecordState(t);

  // The trapezoid over the last step ends here: its push, at the present motion.
  UpdatePlant();
  const double half = 0.5 * control_dt_;
  const double P_ext_before = ExternalPower();

  // A Runge–Kutta step leaves the acceleration of its fourth stage in qacc.
  const bool forward_first = plant_->loops || mj()->opt.integrator == mjINT_RK4;
  if (forward_first) {
    if (!Forward()) return false;
    vdot_ = AsVector(data_->qacc, vdot_.size());
    CalcExternalForces();
    ReadLegs();
  }
  LapClock clock;
  for (int i = 0; i < substeps_; ++i) {
    if ((i > 0 && stop_ != nullptr && *stop_) || !StepPhysics()) return false;
    if (i == 0) record_.physics_s = clock.Lap();
    if (i == 0 && !forward_first) {
      vdot_ = AsVector(data_->qacc, vdot_.size());
      CalcExternalForces();
      ReadLegs();
    }
    NoteConstraints();
    if (!CheckMotion()) return false;
    if (i == 0) clock.Lap();
  }
  if (substeps_ > 1) record_.physics_s += clock.Lap();
  own_.foot_force = record_.legs.foot_force;

  const StorageState storage = CalcPlantStorage();
  if (step_ > 0) own_.lost += half * (storage.P - P_ext_before);
  if (!RecordStorage(storage)) return false;
  own_.lost += half * (storage.P - ExternalPower());
  AdvanceLaw(control_dt_);
  return true;
}

/// Moves to the state of a Runge–Kutta stage of a step h.
bool Simulation::StartStage(int stage, double h) {
  mjData* const d = data_.get();
  if (stage == 0) {
    q_start_ = AsVector(d->qpos, q_.size());
    v_start_ = AsVector(d->qvel, v_.size());
    tangent_.setZero();
    return true;
  }
  const double step = kStageTime[stage] * h;
  tangent_ = step * stage_qdot_.col(stage - 1);
  Eigen::Map<Eigen::VectorXd>(d->qpos, q_.size()) = q_start_;
  mj_integratePos(mj(), d->qpos, tangent_.data(), 1);
  Eigen::Map<Eigen::VectorXd>(d->qvel, v_.size()) = v_start_ + step * stage_vdot_.col(stage - 1);
  return !plant_->loops || plant_->loops->Close(d) || FailSingular();
}

/// Stores the rates of a stage, with its acceleration in qacc.
void Simulation::EndStage(int stage) {
  const auto v = AsVector(data_->qvel, v_.size());
  CalcTangentRate(scene_->plant, tangent_, v, stage_qdot_.col(stage));
  stage_vdot_.col(stage) = AsVector(data_->qacc, v_.size());
}

/// Moves to the end of a Runge–Kutta step h.
bool Simulation::EndStages(double h) {
  mjData* const d = data_.get();
  const Eigen::Map<const Eigen::Vector4d> weight(kStageWeight);
  Eigen::Map<Eigen::VectorXd>(d->qpos, q_.size()) = q_start_;
  tangent_.noalias() = stage_qdot_ * weight;
  mj_integratePos(mj(), d->qpos, tangent_.data(), h);
  tangent_.noalias() = stage_vdot_ * weight;
  Eigen::Map<Eigen::VectorXd>(d->qvel, v_.size()) = v_start_ + h * tangent_;
  std::copy_n(d->qacc, v_.size(), d->qacc_warmstart);
  return !plant_->loops || plant_->loops->Close(d) || FailSingular();
}

/// Computes qacc at the present state.
bool Simulation::Forward() {
  mj_forward(plant_->physics, data_.get());
  return !plant_->loops || plant_->loops->CalcAcceleration(data_.get()) || FailSingular();
}

/// A step of the physics with the torque held.
bool Simulation::StepPhysics() {
  if (!plant_->loops) {
    mj_step(plant_->physics, data_.get());
    return true;
  }
  const double h = mj()->opt.timestep;
  if (implicit_damping_) {
    if (!Forward()) return false;
    data_->time += h;
    return plant_->loops->StepImplicitly(*mj(), h, data_.get()) || FailSingular();
  }
  for (int stage = 0; stage < 4; ++stage) {
    if (!StartStage(stage, h) || !Forward()) return false;
    EndStage(stage);
  }
  data_->time += h;
  return EndStages(h);
}

bool Simulation::RunStage(int stage, double h, StorageState* storage, double* P_ext) {
  mjData* const d = data_.get();
  if (!StartStage(stage, h)) return false;
  if (stage > 0) {
    law_stage_ = law_start_ + kStageTime[stage] * h * stage_law_rate_.col(stage - 1);
    scene_->controller->set_state(law_stage_);
  }
  const double t = TimeOf(step_) + kStageTime[stage] * h;
  d->time = t;
  if (!UpdateControl(t)) return false;
  if (stage == 0) RecordState(t);

  LapClock clock;
  if (!Forward()) return false;
  record_.physics_s += clock.Lap();
  if (stage == 0) ReadLegs();
  vdot_ = AsVector(d->qacc, vdot_.size());
  NoteConstraints();
  if (!CheckMotion()) return false;

  EndStage(stage);
  stage_law_rate_.col(stage) = law_rate_;
  UpdatePlant();
  *storage = CalcPlantStorage();
  CalcExternalForces();
  *P_ext = ExternalPower();
  return true;
}

bool Simulation::StepEveryStage() {
  const double h = control_dt_;
  double lost = 0;
  for (int stage = 0; stage < 4; ++stage) {
    StorageState storage;
    double P_ext = 0;
    if (!RunStage(stage, h, &storage, &P_ext)) return false;
    if (stage == 0 && !RecordStorage(storage)) return false;
    lost += h * kStageWeight[stage] * (storage.P - P_ext);
  }
  own_.lost += lost;

  LapClock clock;
  const bool moved = EndStages(h);
  record_.physics_s += clock.Lap();
  law_rate_.noalias() = stage_law_rate_ * Eigen::Map<const Eigen::Vector4d>(kStageWeight);
  scene_->controller->set_state(law_start_);
  AdvanceLaw(h);
  return moved && CheckMotion();
}

void Simulation::EvaluateHere() {
  data_->time = TimeOf(step_);
  BeginRecord();
  SelectPlant(data_->time);
  ApplyPushes();
  if (!UpdateControl(data_->time)) return;
  RecordState(data_->time);
  if (!Forward()) return;
  vdot_ = AsVector(data_->qacc, vdot_.size());
  ReadLegs();
  UpdatePlant();
  SetStorage(CalcPlantStorage());
  RecordTurning();
}

void Simulation::Evaluate() {
  Saved saved;
  Save(&saved);
  const Failure before = failure_;
  Guard([this] { EvaluateHere(); });
  failure_ = before;  // the next step reports failures
  mj_setState(mj(), data_.get(), saved.state.data(), mjSTATE_INTEGRATION);
  pushed_ = true;  // the restored state may have the forces of the step before
  if (sensors_) sensors_->set_state(saved.sensors);
}

bool Simulation::CheckMotion() {
  const mjModel* m = mj();
  const auto speed = AsVector(data_->qvel, m->nv);
  const auto acceleration = AsVector(data_->qacc, m->nv);
  const bool warned = data_->warning[mjWARN_BADQPOS].number > 0 ||
                      data_->warning[mjWARN_BADQVEL].number > 0 ||
                      data_->warning[mjWARN_BADQACC].number > 0;
  // Written so that NaN fails the comparison.
  const bool slow = speed.array().abs().maxCoeff() <= kAbsurdSpeed;
  if (slow && !warned && speed.allFinite() && acceleration.allFinite() &&
      AsVector(data_->qpos, m->nq).allFinite()) {
    return true;
  }
  const Eigen::Index by_acceleration = Worst(acceleration);
  const bool finite = std::isfinite(acceleration[by_acceleration]);
  const bool fast = finite && (!slow || !speed.allFinite());
  const Eigen::Index iv = fast ? Worst(speed) : by_acceleration;
  const std::string name = scene_->plant.VelocityName(static_cast<int>(iv));
  const double value = fast ? speed[iv] : acceleration[iv];
  Fail(std::string(fast ? "the speed of " : "the acceleration of ") + name + " is " +
       (finite ? internal::ShortNumber(value) + " " + UnitAlong(scene_->plant, iv) +
                     (fast ? "/s" : "/s²")
               : "not a finite number"));
  return false;
}

void Simulation::Fail(std::string reason, FailureCause cause) {
  failure_ = {true, TimeOf(step_), step_, std::move(reason), cause};
  failure_.reason +=
      " at t = " + internal::ShortNumber(failure_.t) + " s (step " + std::to_string(step_) + ")";
}

}  // namespace civita
