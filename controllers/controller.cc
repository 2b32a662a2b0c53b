#include "civita/controllers/controller.h"

#include <algorithm>
#include <cmath>

#include "civita/controllers/legs/stepping_state.h"
#include "civita/controllers/units.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/suggest.h"

namespace civita {
namespace {

double SecondsBetween(std::chrono::steady_clock::time_point from,
                      std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

void CheckGain(const std::string& key, const Eigen::Ref<const Eigen::VectorXd>& value,
               Eigen::Index size, NumberRange range = NumberRange::kNotNegative) {
  internal::MessageStream message;
  message << key << ": ";
  if (value.size() != 1 && value.size() != size) {
    message << value.size() << " numbers given; valid: 1";
    if (size != 1) message << " or " << size << ", one for each velocity coordinate";
    throw UserError(message.str());
  }
  for (Eigen::Index i = 0; i < value.size(); ++i) {
    const double x = value[i];
    if (IsIn(range, x)) continue;
    message << (!std::isfinite(x) ? "not a finite number: "
                : x < 0           ? "negative gain "
                                  : "must be positive, not ")
            << x;
    if (value.size() > 1) message << " (number " << i + 1 << " of " << value.size() << ")";
    throw UserError(message.str());
  }
}

/// The numbers of a skew nv × nv matrix, none for none or one 0. @throws UserError for others.
Eigen::VectorXd ReadSkewGain(std::string_view key, const Eigen::Ref<const Eigen::VectorXd>& value,
                             int nv) {
  if (value.size() == 0 || (value.size() == 1 && value[0] == 0)) return {};
  internal::MessageStream message;
  message << "gains." << key << ": ";
  if (value.size() != nv * nv) {
    message << value.size() << " numbers given; valid: " << nv << " × " << nv
            << ", the rows of a skew matrix";
    throw UserError(message.str());
  }
  const auto G = value.reshaped(nv, nv).transpose();
  for (int i = 0; i < nv; ++i) {
    for (int j = i; j < nv; ++j) {
      if (std::isfinite(G(i, j)) && G(i, j) == -G(j, i)) continue;
      message << "not skew: entry " << i << ", " << j << " is " << G(i, j) << " and entry " << j
              << ", " << i << " is " << G(j, i) << " (counted from 0)";
      throw UserError(message.str());
    }
  }
  return value;
}

/// The space of a law. @throws UserError, ContractError as the constructor of Controller.
VelocitySpace SpaceOf(const Model& model, const LawInfo& info, const ControllerOptions& options) {
  if (options.closed) {
    CIVITA_CHECK(options.closed->tree().id() == model.id(), "the loops are of another model");
  }
  const bool has_loops = options.closed && info.knows_loops;
  if (!options.coordinates) return has_loops ? *options.closed : VelocitySpace(model);
  if (!info.knows_coordinates) {
    std::string known;
    for (const LawInfo* law : Laws()) {
      if (law->knows_coordinates) known += (known.empty() ? "" : ", ") + std::string(law->type);
    }
    throw UserError("controller.coordinates: " + std::string(info.type) +
                    " is not written in other coordinates; valid for " + known);
  }
  CIVITA_CHECK(!has_loops || !options.closed->has_loops(),
               "a law of closed chains has its own coordinates");
  if (options.coordinates->nw() != model.nv()) {
    throw UserError("controller.coordinates: " + options.coordinates->text + " are " +
                    std::to_string(options.coordinates->nw()) + " velocities of a robot with " +
                    std::to_string(model.nv()) + "; a law needs as many");
  }
  return VelocitySpace(model, *options.coordinates);
}

}  // namespace

ControlOutput::ControlOutput(const Controller& controller)
    : tau(Eigen::VectorXd::Zero(controller.model().nv())),
      e(tau),
      s(tau),
      sdot_ref(tau),
      signals(Eigen::VectorXd::Zero(controller.num_signals())) {}

std::optional<SteppingState> Controller::stepping() const { return std::nullopt; }

Controller::Controller(const Model& model, const LawInfo& info, const ControllerOptions& options)
    : model_(model),
      options_(options),
      space_(SpaceOf(model, info, options)),
      at_(space_),
      workspace_(at_.tree()),
      H_(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
      C_(H_),
      g_(Eigen::VectorXd::Zero(model.nv())),
      info_(info),
      tree_error_(model.nv()),
      error_w_(space_.nw()),
      g_w_(Eigen::VectorXd::Zero(space_.nw())),
      force_w_(g_w_),
      tau_w_(g_w_),
      v_(g_),
      v_r_(g_),
      force_(g_),
      p_(g_),
      rate_(g_),
      known_(g_) {
  if (!space_.is_tree()) {
    H_w_ = C_w_ = Eigen::MatrixXd::Zero(nw(), nw());
    products_ = Eigen::MatrixXd::Zero(model.nv(), nw());
  }
  options_.own.Complete(info.options);
  UseMotors(options);
  const auto tendons = static_cast<Eigen::Index>(model.tendons().size());
  std::optional<Eigen::VectorXd>& full_speeds = options_.full_friction_speeds;
  if (!full_speeds) full_speeds = Eigen::VectorXd::Zero(model.nv() + tendons).eval();
  CIVITA_CHECK(full_speeds->size() == model.nv() + tendons && (full_speeds->array() >= 0).all(),
               "full_friction_speeds has " << full_speeds->size() << " numbers, or one is not ≥ 0");
  set_factorization(options.factorization);
  UseObserver(options);
  DefineState(0);
  DefineSignals({});
  gains_.reserve(parameters().size());
  for (const ParameterInfo& parameter : parameters()) {
    const bool is_skew = parameter.shape == GainShape::kSkew;
    const int size = is_skew ? 0 : parameter.shape == GainShape::kScalar ? 1 : model.nv();
    gains_.push_back(Eigen::VectorXd::Constant(size, parameter.default_value));
    gains_w_.emplace_back();
    KeepGain(gains_.size() - 1);
  }
}

void Controller::UseObserver(const ControllerOptions& options) {
  const ObserverOptions& observer = options.observer;
  if (observer.K_I.size() == 0) return;
  CIVITA_CHECK(observer.K_I.size() == model_.nv(), "K_I has " << observer.K_I.size() << " numbers");
  CIVITA_CHECK(observer.threshold.size() == 0 || observer.threshold.size() == model_.nv(),
               "threshold has " << observer.threshold.size() << " numbers");
  CheckGain("observer.gain", observer.K_I, model_.nv());
  if (observer.threshold.size() > 0)
    CheckGain("observer.threshold", observer.threshold, model_.nv());
  observer_.emplace(observer);
  observed_w_ = Eigen::VectorXd::Zero(options.closed ? options.closed->nw() : nw());
  if (!options.closed || info_.knows_loops) return;
  if (options.closed->has_loops()) observed_.emplace(*options.closed);
}

void Controller::UseMotors(const ControllerOptions& options) {
  const Transmission motors = options.motors.value_or(Transmission(model_.nv()));
  CIVITA_CHECK(motors.nv() == model_.nv(),
               "motors of " << motors.nv() << " coordinates, the model has nv = " << model_.nv());
  if (space_.has_loops()) {
    drive_.emplace(space_, motors, info_.type);
    undriven_ = {drive_->num_undriven(), drive_->UndrivenCoordinates()};
  } else if (motors.num_undriven() > 0) {
    fit_.emplace(motors);
    undriven_ = {motors.num_undriven(), motors.UndrivenCoordinates()};
  }
}

const Eigen::VectorXd& Controller::gain(int index) const {
  CIVITA_CHECK(index >= 0 && static_cast<size_t>(index) < gains_.size(), "gain " << index);
  return gains_[static_cast<size_t>(index)];
}

const Eigen::VectorXd& Controller::gain_w(int index) const {
  return space_.has_loops() ? gains_w_[static_cast<std::size_t>(index)] : gain(index);
}

/// Of loops the numbers, or of a matrix the rows and columns, of the independent coordinates.
void Controller::KeepGain(std::size_t index) {
  if (!space_.has_loops()) return;
  const Eigen::VectorXd& gain = gains_[index];
  const std::vector<int>& kept = space_.independent();
  if (parameters()[index].shape == GainShape::kCoordinates) {
    gains_w_[index] = gain(kept);
  } else if (parameters()[index].shape == GainShape::kSkew && gain.size() > 0) {
    const auto columns = gain.reshaped(model_.nv(), model_.nv());
    gains_w_[index] = columns(kept, kept).reshaped();
  } else {
    gains_w_[index] = gain;
  }
}

std::string_view Controller::unit(int index) const {
  CIVITA_CHECK(index >= 0 && static_cast<size_t>(index) < gains_.size(), "gain " << index);
  const ParameterInfo& parameter = parameters()[static_cast<size_t>(index)];
  return gain_form() == GainForm::kMass ? parameter.unit : parameter.diagonal_unit;
}

void Controller::set_gain(std::string_view key, const Eigen::Ref<const Eigen::VectorXd>& value) {
  const auto found = std::find_if(parameters().begin(), parameters().end(),
                                  [key](const ParameterInfo& p) { return p.key == key; });
  if (found == parameters().end()) {
    std::vector<std::string> keys;
    for (const ParameterInfo& parameter : parameters()) keys.emplace_back(parameter.key);
    throw UserError(UnknownName("gain", key, keys));
  }
  const auto index = static_cast<size_t>(found - parameters().begin());
  Eigen::VectorXd& gain = gains_[index];
  if (found->shape == GainShape::kSkew) {
    gain = ReadSkewGain(key, value, model_.nv());
  } else {
    CheckGain("gains." + std::string(key), value, gain.size(), found->range);
    if (value.size() == 1) {
      gain.setConstant(value[0]);
    } else {
      gain = value;
    }
  }
  KeepGain(index);
}

void Controller::set_factorization(Factorization factorization) {
  factorization.Check(model_);
  options_.factorization = std::move(factorization);
}

void Controller::set_state(const Eigen::VectorXd& state) {
  CIVITA_CHECK(state.size() == state_.size(), "the state has " << state.size() << " numbers, "
                                                               << info_.type << " has "
                                                               << state_.size());
  state_ = state;
}

void Controller::DefineState(int size) {
  state_ = Eigen::VectorXd::Zero(size + (observer_ ? model_.nv() : 0));
}

void Controller::DefineSignals(std::vector<SignalInfo> signals) {
  signals_.clear();
  const auto append = [this](const char* owner, std::vector<SignalInfo>&& own) {
    for (SignalInfo& signal : own) {
      signal.name.insert(0, owner);
      signals_.push_back(std::move(signal));
    }
  };
  append("/law", std::move(signals));
  if (observer_) append("/observer", observer_->Signals(JointForceUnit(model_)));
  num_signals_ = 0;
  for (const SignalInfo& signal : signals_) num_signals_ += signal.size();
}

Eigen::Index Controller::FindSignal(std::string_view name) const {
  Eigen::Index at = 0;
  for (const SignalInfo& signal : signals_) {
    if (signal.name == name) return at;
    at += signal.size();
  }
  return -1;
}

void Controller::ResetState(const Measurement& start, const ReferenceState& reference) {
  CIVITA_CHECK(start.q.size() == model_.nq() && start.v.size() == model_.nv(),
               "q has " << start.q.size() << " and v " << start.v.size() << " numbers");
  ResetLaw(start, reference, state_.head(law_size()));
  if (!observer_) return;
  UpdateKinematics(model_, start.q, workspace_);
  CalcMassMatrix(model_, workspace_, H_);
  p_.noalias() = H_ * start.v;
  if (UpdateSpaces(start.q, start.v).ok()) ReduceObserved(p_);
  state_.tail(model_.nv()) = p_;
}

/// The law's space and the observer's.
Status Controller::UpdateSpaces(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const Status of_law = UpdateKinematicsAlong<double>(space_, q, v, at_);
  if (!observed_) return of_law;
  const Status status = UpdateKinematicsAlong<double>(observed_->space, q, v, observed_->at);
  return of_law ? status : of_law;
}

namespace {

/// Sets v to the numbers by w in the places of the independent coordinates, 0 elsewhere. A loop, as
/// Eigen's view by indices copies these.
void PlaceIndependent(const VelocitySpace& space, const Eigen::VectorXd& by_w, Eigen::VectorXd& v) {
  v.setZero();
  for (Eigen::Index a = 0; a < by_w.size(); ++a) {
    v[space.independent()[static_cast<size_t>(a)]] = by_w[a];
  }
}

}  // namespace

/// force ← SᵀAᵀ force of the loops that the observer knows of, S their independent coordinates: a
/// force that does the same work on every motion A w.
void Controller::ReduceObserved(Eigen::VectorXd& force) {
  if (!observed_ && !space_.has_loops()) return;
  const VelocitySpace& space = observed_ ? observed_->space : space_;
  SpaceWorkspace<double>& at = observed_ ? observed_->at : at_;
  CalcReducedForces<double>(space, force, at, observed_w_);
  PlaceIndependent(space, observed_w_, force);
}

void Controller::CalcStateRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                               Eigen::VectorXd& rate) {
  CheckOutput(output);
  CIVITA_CHECK(tau_applied.size() == model_.nv() && rate.size() == state_.size(),
               tau_applied.size() << " torques and " << rate.size() << " rates");
  CalcLawRate(tau_applied, output, rate.head(law_size()));
  if (!observer_) return;
  known_ = tau_applied;
  AddKnownForces(known_);
  ReduceObserved(known_);
  observer_->CalcRate(known_, rate.tail(model_.nv()));
}

void Controller::CalcNextState(double dt, const Eigen::VectorXd& rate,
                               Eigen::VectorXd& next) const {
  CIVITA_CHECK(rate.size() == state_.size(), rate.size() << " rates of " << state_.size());
  const Eigen::Index kept = info_.is_discrete ? law_size() : 0, others = rate.size() - kept;
  next = rate;  // which it may be
  next.tail(others) = state_.tail(others) + dt * next.tail(others);
}

void Controller::ResetLaw(const Measurement& /*start*/, const ReferenceState& /*reference*/,
                          Eigen::Ref<Eigen::VectorXd> x) {
  x.setZero();
}

void Controller::CalcLawRate(const Eigen::VectorXd& /*tau_applied*/,
                             const ControlOutput& /*output*/, Eigen::Ref<Eigen::VectorXd> xdot) {
  xdot.setZero();
}

double Controller::CalcExternalPower(const PlantState& /*plant*/, const Eigen::VectorXd& tau_ext,
                                     const ControlOutput& output) {
  return output.s.dot(tau_ext);
}

void Controller::CheckOutput(const ControlOutput& output) const {
  const Eigen::Index nv = model_.nv();
  CIVITA_CHECK(output.tau.size() == nv && output.e.size() == nv && output.s.size() == nv &&
                   output.sdot_ref.size() == nv && output.signals.size() == num_signals(),
               "the output is that of another law");
}

void Controller::UpdateObserver(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  p_.noalias() = H_ * v;
  rate_ = g_;
  AddPassiveForces(q, v, rate_);
  rate_ = -rate_;
  rate_.noalias() += C_.transpose() * v;
  if (observed_ || space_.has_loops()) {
    const VelocitySpace& space = observed_ ? observed_->space : space_;
    const SpaceWorkspace<double>& at = observed_ ? observed_->at : at_;
    ChangeMomentumRate<double>(at.map(space), p_, rate_, observed_w_);
    PlaceIndependent(space, observed_w_, rate_);
    ReduceObserved(p_);
  }
  observer_->Update(p_, rate_, state_.tail(model_.nv()));
}

void Controller::UpdateDynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                ControlOutput& output) {
  const Clock::time_point start = Clock::now();
  CheckOutput(output);
  v_ = v;
  status_ = UpdateSpaces(q, v);
  if (!status_) UpdateKinematics(model_, q, v, workspace_);
  const Clock::time_point kinematics_done = Clock::now();
  CalcCoriolisMatrix(model_, options_.factorization, workspace_, {.C = C_, .H = H_});
  CalcGravityForces(model_, workspace_, g_);
  if (status_ && !space_.is_tree()) {
    const VelocityMap<double>& map = at_.map(space_);
    ChangeMassMatrix<double>(map, H_, products_, H_w_);
    ChangeCoriolisMatrix<double>(map, {.C = C_, .H = H_}, products_, C_w_);
    ChangeForces<double>(map, g_, g_w_);
  }
  if (observer_ && status_) UpdateObserver(q, v);
  law_start_ = Clock::now();
  output.kinematics_s = SecondsBetween(start, kinematics_done);
  output.matrices_s = SecondsBetween(kinematics_done, law_start_);
}

Status Controller::BeginControl(const Measurement& measured, const ReferenceState& reference,
                                ControlOutput& output) {
  UpdateDynamics(measured.q, measured.v, output);
  CalcTrackingError(model_, measured.q, measured.v, reference, tree_error_);
  output.e = tree_error_.e;
  if (!status_) return FailControl(status_, output);
  if (space_.is_tree()) return status_;
  CalcSpaceVelocity<double>(space_, tree_error_.e, at_, error_w_.e);
  CalcSpaceAcceleration<double>(space_, error_w_.e, tree_error_.edot, at_, error_w_.edot);
  CalcSpaceVelocity<double>(space_, tree_error_.v_d, at_, error_w_.v_d);
  CalcSpaceAcceleration<double>(space_, error_w_.v_d, tree_error_.vdot_d, at_, error_w_.vdot_d);
  return status_;
}

void Controller::SetReference(const Eigen::VectorXd& w_r, const Eigen::VectorXd& wdot_r,
                              Eigen::VectorXd& s, ControlOutput& output) {
  s = w() - w_r;
  CalcTreeVelocity<double>(space_, w_r, at_, v_r_);
  CalcTreeAcceleration<double>(space_, w_r, wdot_r, at_, output.sdot_ref);
  output.s = v_ - v_r_;
}

void Controller::CloseMotion(Eigen::VectorXd& v, Eigen::VectorXd& vdot) {
  if (!status_) return;
  CalcSpaceVelocity<double>(space_, v, at_, force_w_);
  CalcSpaceAcceleration<double>(space_, force_w_, vdot, at_, tau_w_);
  CalcTreeVelocity<double>(space_, force_w_, at_, v);
  CalcTreeAcceleration<double>(space_, force_w_, tau_w_, at_, vdot);
}

Status Controller::FailControl(const Status& status, ControlOutput& output) {
  output.tau.setZero();
  for (Eigen::VectorXd* unknown : {&output.s, &output.sdot_ref, &output.signals})
    unknown->setConstant(NAN);
  return status;
}

Status Controller::FinishControl(ControlOutput& output, bool compensate) {
  if (space_.is_tree()) return FinishControl(output.tau, output, compensate);
  if (!status_) return FailControl(status_, output);
  CalcReducedForces<double>(space_, output.tau, at_, tau_w_);
  return FinishControl(tau_w_, output, compensate);
}

Status Controller::FinishControl(Eigen::VectorXd& tau_w, ControlOutput& output, bool compensate) {
  if (observer_) {
    if (compensate && observer_->compensates()) {
      CalcReducedForces<double>(space_, observer_->r(), at_, force_w_);
      tau_w -= force_w_;
    }
    observer_->FillSignals(output.signals.tail(observer_->num_signals()));
  }
  Status status = tau_w.allFinite() ? Status::kOk : Status::kNotFinite;
  if (status && drive_) {
    status = drive_->Distribute(at_.map(space_), H_, H_w_, tau_w, output.tau);
  } else if (status) {
    CalcTreeForces<double>(space_, tau_w, at_, output.tau);
  }
  if (fit_ && status && !fit_->Fit(H_, output.tau)) status = Status::kNotFinite;
  if (!status) output.tau.setZero();
  output.law_s = SecondsBetween(law_start_, Clock::now());
  return status;
}

void Controller::AddPassiveForces(const Eigen::VectorXd& q, const Eigen::VectorXd& v_r,
                                  Eigen::VectorXd& tau) const {
  civita::AddPassiveForces(
      model_, q, v_r, {.speed = kFrictionVelocity, .full_speeds = *options_.full_friction_speeds},
      -1, tau);
}

double Controller::CalcPassiveDissipation(const Eigen::VectorXd& v_r,
                                          const Eigen::VectorXd& s) const {
  return civita::CalcPassiveDissipation(
      model_, v_r, s, {.speed = kFrictionVelocity, .full_speeds = *options_.full_friction_speeds});
}

StorageState Controller::CalcKineticStorage(const PlantState& plant, const ControlOutput& output) {
  const Eigen::VectorXd& s = output.s;
  CIVITA_CHECK(
      plant.H.rows() == s.size() && plant.Hdot.rows() == s.size() && plant.vdot.size() == s.size(),
      "the plant has nv = " << plant.H.rows() << ", the law " << s.size());
  StorageState storage;
  force_.noalias() = plant.H * s;
  storage.V = 0.5 * s.dot(force_);
  storage.Vdot = force_.dot(plant.vdot) - force_.dot(output.sdot_ref);
  force_.noalias() = plant.Hdot * s;
  storage.Vdot += 0.5 * s.dot(force_);
  return storage;
}

}  // namespace civita
