#include "civita/sim/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/max_abs.h"
#include "civita/error.h"
#include "civita/scenes/plant/stiffness.h"

namespace civita {

StepRecord::StepRecord(const Scene& scene)
    : q(Eigen::VectorXd::Zero(scene.plant.nq())),
      v(Eigen::VectorXd::Zero(scene.plant.nv())),
      q_d(q),
      e(v),
      s(v),
      tau(v),
      signals(Eigen::VectorXd::Zero(scene.controller->num_signals())),
      legs(scene.legs ? static_cast<int>(scene.legs->feet.size()) : 0),
      terms(scene.plant.nv()) {}

Simulation::Plant::Plant(const mjModel& m, const Model& model_in, const SceneData& scene)
    : physics(&m), model(model_in), workspace(model_in), geometry(model_in, scene.closed.get()) {
  if (!scene.closed) return;
  closed = std::make_shared<const VelocitySpace>(geometry.space());
  if (scene.config.plant.loops == LoopForm::kExact) loops.emplace(closed);
}

Simulation::ResidualScratch::ResidualScratch(int size)
    : w(Eigen::VectorXd::Zero(size)),
      bias(w),
      gravity(w),
      C(Eigen::MatrixXd::Zero(size, size)),
      christoffel_C(C),
      H(C) {}

Simulation::Simulation(std::unique_ptr<Scene> scene)
    : scene_(std::move(scene)),
      data_(mj_makeData(scene_->mj.get())),
      plants_(MakePlants()),
      plant_(plants_.data()),
      output_(*scene_->controller),
      record_(*scene_),
      residual_(plant_->geometry.size()),
      thrower_(scene_->plant.nq(), scene_->plant.nv(), plant_->closed) {
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

  implicit_damping_ = NeedsImplicitDamping(*scene_);
  turning_.emplace(*scene_, controller().factorization(), control_dt_);
  if (const std::optional<double>& at_s = config.thrown.at_s) {
    planned_throw_ = std::lround(*at_s / control_dt_);
  }

  const int nq = scene_->plant.nq();
  const int nv = scene_->plant.nv();
  q_ = q_start_ = Eigen::VectorXd::Zero(nq);
  v_ = vdot_ = applied_ = own_.tau_ext = joint_push_ = unknown_ = v_start_ = tangent_ =
      Eigen::VectorXd::Zero(nv);
  plant_H_ = plant_Hdot_ = plant_C_ = Eigen::MatrixXd::Zero(nv, nv);
  stage_qdot_ = stage_vdot_ = Eigen::MatrixXd::Zero(nv, 4);
  reference_ = {q_, v_, v_};
  if (scene_->legs) leg_probe_.emplace(*m, *scene_->legs, scene_->q_home);
  if (CanFall(*scene_)) fall_probe_.emplace(*scene_);
  own_.foot_force = record_.legs.foot_force;
  measured_ = {0, q_, v_, own_.foot_force};
  late_torque_ = v_;
  MakeDelays();
  if (scene_->closed) closer_.emplace(scene_->closed);
  law_rate_ = law_start_ = law_stage_ = controller().state();
  stage_law_rate_ = Eigen::MatrixXd::Zero(law_rate_.size(), 4);
  last_good_.resize(static_cast<size_t>(mj_stateSize(m, kUndoState)));
  Reset();
}

Simulation::~Simulation() {
  if (!is_lent_ || !scene_) return;
  [[maybe_unused]] const mjData* data = data_.release();
  [[maybe_unused]] const mjModel* model = scene_->mj.release();
}

void Simulation::Lend(mjData* data) {
  mj_copyData(data, mj(), data_.get());
  if (is_lent_) [[maybe_unused]]
    const mjData* before = data_.release();
  data_.reset(data);
  is_lent_ = true;
}

void Simulation::NoteMoved() {
  turning_->Break();
  rebase_ = true;
}

/// The first of the law's outputs that is not of the size that the law was given; null: none.
const char* Simulation::FindResized() const {
  const Eigen::Index nv = scene_->plant.nv();
  if (output_.tau.size() != nv) return "tau";
  if (output_.e.size() != nv) return "e";
  if (output_.s.size() != nv) return "s";
  if (output_.sdot_ref.size() != nv) return "sdot_ref";
  return output_.signals.size() == controller().num_signals() ? nullptr : "signals";
}

/// What measurements and torques go through.
void Simulation::MakeDelays() {
  const SceneConfig& config = scene_->config;
  const auto steps_of = [this](double delay_s) {
    return static_cast<int>(std::lround(delay_s / control_dt_));
  };
  own_.torques_under_way =
      Eigen::MatrixXd::Zero(scene_->plant.nv(), 1 + steps_of(config.actuation_delay_s));
  if (config.mode != ControlMode::kHeld) return;
  sensors_.emplace(scene_->plant,
                   Sensors::Options{.resolution = config.encoder_resolution,
                                    .filter_hz = config.velocity_filter_hz,
                                    .delay = steps_of(config.delay_s),
                                    .noise = config.noise,
                                    .seed = config.seed,
                                    .num_feet = static_cast<int>(own_.foot_force.size()),
                                    .dt = control_dt_});
}

std::vector<Simulation::Plant> Simulation::MakePlants() const {
  std::vector<Plant> plants;
  plants.emplace_back(*scene_->mj, scene_->plant, *scene_);
  if (const LoadedPlant* loaded = scene_->payload.get()) {
    plants.emplace_back(*loaded->mj, loaded->plant, *scene_);
  }
  return plants;
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
  moves_.pushes.clear();
  moves_.thrown.reset();
  turning_->Restart();
  drive_ = {};
  step_ = 0;
  own_.saturated_steps = 0;
  own_.fall_watch = FallWatch(nominal_height());
  own_.lost = 0;
  own_.balance = 0;
  rebase_ = true;
  pushed_ = false;
  joint_push_.setZero();
  own_.tau_ext.setZero();
  if (leg_probe_) {
    // The forces on the feet before any torque acts; Evaluate then includes the torque of the
    // first step.
    mj_forward(mj(), data_.get());
    ReadLegs();
    own_.foot_force = record_.legs.foot_force;
  }
  measured_ = {0, scene_->q_start, scene_->v_start, own_.foot_force};
  SampleReference(0);
  if (closer_) closer_->Close(scene_->q_start, reference_);
  if (sensors_) sensors_->Reset();
  NoteInputs();
  if (!Guard([this] { scene_->controller->ResetState(measured_, reference_); })) return;
  Evaluate();
  own_.foot_force = record_.legs.foot_force;
}

int Simulation::mujoco_warnings() const {
  int count = 0;
  for (const mjWarningStat& warning : data_->warning) count += warning.number;
  return count;
}

void Simulation::SetGain(std::string_view key, const Eigen::VectorXd& value) {
  scene_->controller->set_gain(key, value);
  rebase_ = true;
  NoteInputs();
}

void Simulation::SplitTorques() {
  if (!splitter_ && HasTorqueTerms(*scene_)) splitter_.emplace(controller().model());
}

void Simulation::SetFactorization(Factorization factorization) {
  scene_->controller->set_factorization(std::move(factorization));
  turning_->set_factorization(controller().factorization());
  NoteInputs();
}

void Simulation::ThrowOff(const Throw& thrown) {
  moves_.thrown = AddedThrow{step_, thrown};
  NoteInputs();
}

void Simulation::SetDrive(const std::optional<DriveCommand>& wanted) {
  drive_.Set(wanted);
  NoteInputs();
}

void Simulation::NoteInputs() {
  auto inputs = std::make_shared<Inputs>();
  for (std::size_t i = 0; i < controller().parameters().size(); ++i) {
    inputs->gains.push_back(controller().gain(static_cast<int>(i)));
  }
  inputs->factorization = controller().factorization();
  inputs->drive = drive_.wanted();
  inputs->moves = moves_;
  inputs_ = std::move(inputs);
}

void Simulation::UseTuning(const Inputs& inputs) {
  for (std::size_t i = 0; i < inputs.gains.size(); ++i) {
    const Eigen::VectorXd& present = controller().gain(static_cast<int>(i));
    if (inputs.gains[i].size() == present.size() && inputs.gains[i] == present) continue;
    SetGain(controller().parameters()[i].key, inputs.gains[i]);
  }
  SetFactorization(inputs.factorization);
  SetDrive(inputs.drive);
}

Push Simulation::AddedPush::At(double t, double dt) const {
  Push one = push;
  if (every_s > 0) {
    const double n = std::floor((t + 0.5 * dt - push.start_s) / every_s);
    one.start_s += std::max(0.0, n) * every_s;
  }
  return one;
}

void Simulation::AddPush(const Push& push, double every_s) {
  CIVITA_CHECK(push.body > 0 && push.body < mj()->nbody, "body " << push.body);
  if (every_s > 0 && every_s < push.duration_s) {
    throw UserError("a push of " + std::to_string(push.duration_s) + " s cannot come every " +
                    std::to_string(every_s) + " s");
  }
  std::erase_if(moves_.pushes, [this](const AddedPush& added) {
    return added.every_s <= 0 && added.push.start_s + added.push.duration_s < time() - control_dt_;
  });
  moves_.pushes.push_back({push, every_s});
  moves_.pushes.back().push.start_s += time();
  NoteInputs();
}

void Simulation::StopPushes() {
  for (AddedPush& added : moves_.pushes) {
    if (added.every_s > 0) added = {added.At(time(), control_dt_), 0};
  }
  NoteInputs();
}

void Simulation::SetPerturbation(int body, const double (&xfrc)[6]) {
  CIVITA_CHECK(body >= 0 && body < mj()->nbody, "body " << body);
  std::vector<double> forces(body > 0 ? 6 * static_cast<size_t>(mj()->nbody) : 0);
  if (body > 0) std::copy_n(xfrc, 6, forces.begin() + 6 * body);
  SetForces(forces);
}

void Simulation::SetForces(std::span<const double> xfrc) {
  CIVITA_CHECK(xfrc.empty() || std::ssize(xfrc) == 6 * mj()->nbody, "forces " << xfrc.size());
  moves_.forces.assign(xfrc.begin(), xfrc.end());
  NoteInputs();
}

void Simulation::SetTorque(const Eigen::VectorXd& tau) {
  CIVITA_CHECK(tau.size() == 0 || tau.size() == scene_->plant.nv(), "torque " << tau.size());
  own_torque_ = tau;
}

long Simulation::RunFor(long n) {
  long taken = 0;
  while (taken < n && Step()) ++taken;
  return taken;
}

Simulation::Residuals Simulation::CalcResiduals() {
  PlantGeometry& geometry = plant_->geometry;
  auto& [w, bias, gravity, C, christoffel_C, H] = residual_;
  Residuals residuals;
  residuals.Vdot = std::abs(record_.Vdot + record_.P);
  residuals.energy_balance = record_.energy_balance;
  geometry.Select(record_.v, w);
  if (!geometry.Update(record_.q, record_.v)) {
    residuals.skew = residuals.bias = residuals.contorsion = residuals.coriolis =
        std::numeric_limits<double>::quiet_NaN();
    return residuals;
  }
  geometry.CalcCoriolisMatrix(controller().factorization(), {.C = C, .H = H});
  residuals.coriolis = internal::MaxAbs(C);
  geometry.CalcMassMatrixDerivative(H);
  H -= C + C.transpose();
  residuals.skew = internal::MaxAbs(H);

  geometry.CalcBiasForces(bias);
  geometry.CalcGravityForces(gravity);
  bias -= gravity;
  bias.noalias() -= C * w;
  residuals.bias = internal::MaxAbs(bias);

  const double speed = w.norm();
  if (speed > 0 && !controller().factorization().torsion_free()) {
    geometry.CalcCoriolisMatrix(Factorization(), {.C = christoffel_C, .H = H});
    residuals.contorsion = internal::MaxAbs(C - christoffel_C) / speed;
  }
  return residuals;
}

std::size_t Simulation::Saved::bytes() const {
  const Eigen::Index numbers = law_state.size() + sensors.size() + foot_force.size() +
                               torques_under_way.size() + tau_ext.size() + turning.q.size() +
                               turning.s.size();
  return sizeof(Saved) + sizeof(double) * (state.size() + static_cast<std::size_t>(numbers));
}

void Simulation::AdvanceLaw(double dt) {
  if (law_rate_.size() == 0) return;
  controller().CalcNextState(dt, law_rate_, law_stage_);
  scene_->controller->set_state(law_stage_);
}

void Simulation::NoteConstraints() {
  const mjData* const d = data_.get();
  for (int i = 0; i < d->nefc && !record_.constrained; ++i) {
    const bool acts = d->efc_type[i] >= mjCNSTR_LIMIT_JOINT && d->efc_force[i] != 0;
    record_.constrained = acts && !IsOfObjects(d->efc_type[i], d->efc_id[i]);
  }
}

// Whether it concerns loose objects alone: their own limits, and what they touch but the robot.
bool Simulation::IsOfObjects(int type, int id) const {
  const mjModel& m = *mj();
  const std::vector<bool>& is_loose = scene_->free_parts.is_loose;
  if (type == mjCNSTR_LIMIT_JOINT) return is_loose[static_cast<size_t>(m.jnt_bodyid[id])];
  if (type < mjCNSTR_CONTACT_FRICTIONLESS) return false;
  const mjContact& contact = data_->contact[id];
  bool any_loose = false;
  for (const int geom : contact.geom) {
    if (geom < 0) return false;  // a flex
    const int body = m.geom_bodyid[geom];
    const bool loose = is_loose[static_cast<size_t>(body)];
    if (!loose && m.body_weldid[body] != 0) return false;
    any_loose = any_loose || loose;
  }
  return any_loose;
}

void Simulation::SetStorage(const StorageState& storage) {
  record_.V = storage.V;
  record_.Vdot = storage.Vdot;
  record_.P = storage.P;
  record_.V_estimation = storage.V_estimation;
  record_.energy_balance = own_.balance;
}

bool Simulation::RecordStorage(const StorageState& storage) {
  if (rebase_) own_.V0 = storage.V + own_.lost - own_.balance;
  rebase_ = false;
  own_.balance = storage.V - own_.V0 + own_.lost;
  SetStorage(storage);
  if (std::isfinite(storage.V) || !std::isfinite(own_.V0)) return true;
  Fail("the law's storage V is not a finite number");
  return false;
}

void Simulation::Save(Saved* saved) const {
  saved->t = TimeOf(step_);
  saved->step = step_;
  saved->inputs = inputs_;
  saved->state.resize(static_cast<size_t>(mj_stateSize(mj(), mjSTATE_INTEGRATION)));
  mj_getState(mj(), data_.get(), saved->state.data(), mjSTATE_INTEGRATION);
  saved->law_state = controller().state();
  if (sensors_) saved->sensors = sensors_->state();
  saved->drive = drive_.state();
  saved->turning = turning_->state();
  saved->rebase = rebase_;
  static_cast<Carried&>(*saved) = own_;
}

void Simulation::Restore(const Saved& saved) {
  mj_setState(mj(), data_.get(), saved.state.data(), mjSTATE_INTEGRATION);
  scene_->controller->set_state(saved.law_state);
  if (sensors_) sensors_->set_state(saved.sensors);
  own_ = saved;
  for (mjWarningStat& warning : data_->warning) warning = {};
  failure_ = {};
  step_ = saved.step;
  drive_.set_state(saved.drive);
  turning_->set_state(saved.turning);
  if (moves_.thrown && moves_.thrown->step > saved.step) moves_.thrown.reset();
  std::erase_if(moves_.pushes,
                [&](const AddedPush& added) { return added.push.start_s > saved.t; });
  NoteInputs();
  Evaluate();
}

void Simulation::Show(const StepRecord& record, long step) {
  record_ = record;
  step_ = step;
  data_->time = TimeOf(step);
  failure_ = {};
  SelectPlant(data_->time);
  Eigen::Map<Eigen::VectorXd>(data_->qpos, record.q.size()) = record.q;
  Eigen::Map<Eigen::VectorXd>(data_->qvel, record.v.size()) = record.v;
}

void Simulation::Repeat(const Saved& saved, long step) {
  const std::shared_ptr<const Inputs> present = inputs_, then = saved.inputs;
  UseTuning(*then);
  Restore(saved);
  moves_ = then->moves;
  rebase_ = saved.rebase;
  RunFor(step - saved.step);
  UseTuning(*present);
  moves_.forces.clear();
  NoteInputs();
}

}  // namespace civita
