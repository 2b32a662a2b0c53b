#include "civita/controllers/legs/whole_body.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "civita/controllers/damping_force.h"
#include "civita/controllers/tracking_error.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/spatial.h"

namespace civita {
namespace {

using Wrench = Eigen::Matrix<double, 6, 1>;

/// Share of the support's size by which the zero-moment point stays inside its edge.
constexpr double kShrinkPoints = 0.05, kShrinkFlat = 0.15;
/// Maximum acceleration that moves the zero-moment point, in g.
constexpr double kMaxCorrection = 3.06;
/// Minimum vertical force for which a zero-moment point is computed, in units of the weight.
constexpr double kMinForce = 0.1;
/// Rate at which the anchor follows a slipping foot (1/s) while the foot carries this force, in
/// units of the weight.
constexpr double kAnchorLeak = 2, kAnchorForcePoint = 0.085, kAnchorForceFlat = 0.0447;
/// Factor on the gain of anchors of point feet while standing, so that pushes that unload some
/// feet do not move them.
constexpr double kStandingAnchors = 4;
/// Maximum shift of the centre of mass by the observer, in units of its height at home.
constexpr double kMaxShiftPoint = 0.097, kMaxShiftFlat = 0.0459;
/// The least distance by which a zero-moment point is moved, m.
constexpr double kLeastShift = 1e-9;
/// The force that the feet do not give from which on estimates are held, in units of the weight;
/// a moment in those of the weight times the height at home.
constexpr double kHeldFrom = 0.01;

LegOptions Checked(const Model& model, const ControllerOptions& options) {
  CIVITA_CHECK(options.legs != nullptr && !options.legs->feet.empty(), "no legs");
  if (model.joints().empty() || model.joints().front().type != JointType::kFree) {
    throw UserError(
        "controller.type: whole_body needs a robot whose first joint is free; the first is " +
        (model.joints().empty()
             ? std::string("missing")
             : "'" + model.joints().front().name + "', " + ToString(model.joints().front().type)));
  }
  LegOptions legs = *options.legs;
  CIVITA_CHECK(legs.tau_max.size() == model.nv() && (legs.tau_max.array() >= 0).all(),
               "tau_max has " << legs.tau_max.size() << " numbers, or one is not ≥ 0");
  CIVITA_CHECK(IsIn(NumberRange::kPositive, legs.friction) && IsIn(NumberRange::kPositive, legs.dt),
               "friction is " << legs.friction << ", dt " << legs.dt);
  for (const Foot& foot : legs.feet) {
    CIVITA_CHECK(!foot.points.empty() && foot.flat() == legs.feet.front().flat(),
                 "foot '" << foot.name << "' has " << foot.points.size() << " points");
    CIVITA_CHECK(foot.frame.body >= 0 && foot.frame.body < model.num_bodies(),
                 "foot '" << foot.name << "' is on no body of the model");
  }
  if (legs.q_home.size() == 0) legs.q_home = options.q_start;
  TakeHome(model, legs.q_home, &legs);
  return legs;
}

template <bool kAdaptive>
std::unique_ptr<Controller> Make(const Model& model, const ControllerOptions& options) {
  return std::make_unique<WholeBody>(model, options, kAdaptive);
}

}  // namespace

constinit const LawInfo kWholeBodyLaw = {
    .type = "whole_body",
    .title = "Legs: passivity-based whole-body control",
    .law = "τ = H v̇_r + C v_r + g − K_D s − Jᵀf",
    .parameters = kWholeBodyParameters,
    .make = &Make<false>,
    .uses_factorization = true,
    .needs_legs = true,
    .is_discrete = true,
};

constinit const LawInfo kAdaptiveWholeBodyLaw = {
    .type = "adaptive_whole_body",
    .title = "Legs: adaptive whole-body control",
    .law = "τ = Y(q, v, v_r, v̇_r) π̂ − K_D s − Jᵀf",
    .parameters = kAdaptiveWholeBodyParameters,
    .options = kAdaptOptions,
    .make = &Make<true>,
    .uses_factorization = true,
    .needs_legs = true,
    .is_discrete = true,
};

WholeBody::WholeBody(const Model& model, const ControllerOptions& options, bool adaptive)
    : Controller(model, adaptive ? kAdaptiveWholeBodyLaw : kWholeBodyLaw, options),
      legs_(Checked(model, options)),
      now_(model, legs_),
      tasks_(model, legs_, options.q_start),
      forces_(model, legs_),
      gait_(Gait::Make(model, legs_)),
      weight_(now_.mass * model.gravity().norm()),
      anchor_force_((legs_.feet.front().flat() ? kAnchorForceFlat : kAnchorForcePoint) * weight_),
      max_shift_((legs_.feet.front().flat() ? kMaxShiftFlat : kMaxShiftPoint) *
                 gait_->home_height()),
      xdot_r_(Eigen::VectorXd::Zero(tasks_.rows())),
      xddot_r_(xdot_r_),
      v_r_(Eigen::VectorXd::Zero(model.nv())),
      W_(v_r_),
      W_wanted_(v_r_),
      K_D_s_(v_r_),
      scratch_(v_r_),
      joint_rate_(Eigen::VectorXd::Zero(model.nv() - 6)),
      posture_error_(Eigen::VectorXd::Zero(tasks_.posture().rows())),
      load_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(legs_.feet.size()))) {
  if (adaptive) estimates_.emplace(model, AdaptOptions::Of(options_.own));
  DefineState(static_cast<int>(LegState::size() + (estimates_ ? estimates_->size() : 0)));
  next_.Pack(state_.head(LegState::size()));
  if (estimates_) estimates_->Reset(state_.segment(LegState::size(), estimates_->size()));
  NameSignals();
}

// In the order of the enum Signal.
void WholeBody::NameSignals() {
  constexpr int kScalar = SignalInfo::kScalar;
  const int feet = static_cast<int>(legs_.feet.size());
  std::vector<SignalInfo> signals = {
      {"/unmet/force", "N", kScalar, "magnitude of the force that the feet did not give"},
      {"/unmet/moment", "N·m", kScalar,
       "magnitude of the moment about the centre of mass that the feet did not give"},
      {"/injected", "W", kScalar, "power sᵀ(W_given − W) of what was changed or given up"},
      {"/dcm_margin", "m", kScalar,
       "distance of the divergent component of motion from the edge of the support, inward"},
      {"/zmp_shift", "m", kScalar, "how far the zero-moment point was moved"},
      {"/stepping", "", kScalar, "1 while it steps"},
      {"/steps", "", kScalar, "feet set down"},
      {"/qp/status", "", kScalar, "how the contact forces were found, ContactForces::Status"},
      {"/qp/iterations", "", kScalar, "iterations of the quadratic program of the contact forces"},
      {"/dcm", "m", 2, "divergent component of motion, x and y"},
      {"/cop", "m", 2, "centre of pressure of the commanded forces, x and y"},
      {"/contact", "", feet, "1 where the law takes the foot to stand"},
      {"/f_z", "N", feet, "commanded normal force, by foot"}};
  if (estimates_) {
    for (SignalInfo& signal : estimates_->Signals()) signals.push_back(std::move(signal));
  }
  DefineSignals(std::move(signals));
}

void WholeBody::ResetLaw(const Measurement& start, const ReferenceState& /*reference*/,
                         Eigen::Ref<Eigen::VectorXd> x) {
  UpdateKinematics(model_, start.q, start.v, workspace_);
  UpdateLegKinematics(model_, legs_, workspace_, now_);
  gait_->Reset(now_, next_);
  next_.Pack(x.head(LegState::size()));
  if (estimates_) estimates_->Reset(x.tail(estimates_->size()));
}

void WholeBody::CalcLawRate(const Eigen::VectorXd& /*tau_applied*/, const ControlOutput& /*output*/,
                            Eigen::Ref<Eigen::VectorXd> next) {
  const Eigen::Index n = LegState::size();
  next_.Pack(next.head(n));
  if (!estimates_) return;
  auto x = next.tail(estimates_->size());
  estimates_->CalcRate(gain(kGamma)[0], x);
  x = state_.segment(n, x.size()) + legs_.dt * x;
}

void WholeBody::AddKnownForces(Eigen::VectorXd& tau) const { tau += forces_.joint_forces(); }

void WholeBody::AddUncounted(const Eigen::VectorXd& constraint, Eigen::VectorXd& tau) const {
  tau += constraint - forces_.joint_forces() + W_ - W_wanted_;
}

// A weight that acts at c + δ while the model has it at c exerts the moment δ × mg.
void WholeBody::CorrectCenterOfMass() {
  if (estimates_) {
    double mass = 0;
    Eigen::Vector3d h;
    estimates_->CalcExcess(workspace_, &mass, &h);
    const Eigen::Array2d delta = (h - mass * now_.c).head<2>() / (now_.mass + mass);
    now_.c.head<2>().array() += delta.max(-max_shift_).min(max_shift_);
  }
  if (!observer() || !observer()->compensates()) return;
  const Eigen::VectorXd& r = observer()->r();
  const Eigen::Vector3d M =
      now_.R_base * r.segment<3>(3) - (now_.c - now_.p_base).cross(Eigen::Vector3d(0, 0, r[2]));
  const double weight = std::max(0.5 * weight_, weight_ - r[2]);
  const Eigen::Array2d delta = Eigen::Array2d(M.y(), -M.x()) / weight;
  now_.c.head<2>().array() += delta.max(-max_shift_).min(max_shift_);
}

Status WholeBody::CalcControl(const Measurement& measured, const ReferenceState& reference,
                              ControlOutput& output) {
  const Eigen::Index n = LegState::size();
  next_.Unpack(state_.head(n));
  if (estimates_) estimates_->Update(state_.segment(n, estimates_->size()));
  CheckReference(model_, reference);
  const Eigen::Index felt = measured.foot_force.size();
  CIVITA_CHECK(felt == 0 || felt == static_cast<Eigen::Index>(legs_.feet.size()),
               felt << " forces on " << legs_.feet.size() << " feet");
  UpdateDynamics(measured.q, measured.v, output);
  const CoriolisIn<double> matrices{.C = C_, .H = H_};
  UpdateLegKinematics(model_, legs_, workspace_, now_,
                      factorization().admissible() ? &matrices : nullptr);
  CorrectCenterOfMass();

  TrunkReference trunk;
  gait_->Update({now_, reference.body, measured.foot_force, gain(kLambda)[0]}, next_, trunk);
  FillTasks(reference, measured, trunk, output);
  // A walk has angular momentum of its own; damping it would move the centre of mass instead.
  tasks_.Update(now_, trunk.base, !reference.body.walk);
  tasks_.SolveVelocity(xdot_r_, v_r_);
  tasks_.SolveAcceleration(xdot_r_, xddot_r_, v_r_, output.sdot_ref);
  output.s = measured.v - v_r_;
  CalcWanted(output);
  W_ = W_wanted_;

  for (Eigen::Index i = 0; i < load_.size(); ++i) {
    load_[i] = next_.feet[static_cast<size_t>(i)].load;
  }
  const Eigen::Matrix<double, 6, 6>& response = tasks_.CalcTrunkResponse(H_);
  KeepPressureInside(response);
  internal::LapClock clock;
  const ContactForces::Status status = forces_.Distribute(now_, WrenchAtCom(W_), load_, W_);
  qp_s_ = clock.Lap();
  if (status != ContactForces::Status::kNoContact) GiveUpUnmet(response);
  if (estimates_ && GivesLess()) estimates_->Hold();

  output.tau = W_ - forces_.joint_forces();
  output.tau.head<6>().setZero();
  for (size_t i = 0; i < legs_.feet.size(); ++i) next_.feet[i].force = forces_.foot_wrench(i)[5];
  next_.pressed = status != ContactForces::Status::kNoContact;
  next_.pressure = forces_.center_of_pressure();
  if (status == ContactForces::Status::kFallback) next_.qp_fallbacks += 1;
  FillSignals(status, output);
  return FinishControl(output, false);
}

// Angular task: E = R_dᵀR, e = Log E in the base's axes, and the desired velocity carried there.
// The momentum rows, which are last, stay zero.
void WholeBody::FillTasks(const ReferenceState& reference, const Measurement& measured,
                          const TrunkReference& trunk, ControlOutput& output) {
  const double lambda = gain(kLambda)[0];
  output.e.setZero();
  xdot_r_.segment<3>(LegTasks::kLinear) = trunk.v_r;
  xddot_r_.segment<3>(LegTasks::kLinear) = trunk.vdot_r;
  output.e.head<3>() = trunk.error;

  const Eigen::Matrix3d& R = now_.R_base;
  const Eigen::Vector3d w = now_.w_base;
  const Eigen::Vector3d e = RotationLog((trunk.R_d * legs_.R_home).transpose() * R);
  const Eigen::Vector3d w_d = R.transpose() * trunk.w_d;
  const Eigen::Vector3d wdot_d = R.transpose() * trunk.wdot_d - w.cross(w_d);
  const Eigen::Vector3d edot = RightJacobianInverse(e) * (w - w_d);
  xdot_r_.segment<3>(LegTasks::kAngular) = w_d - lambda * e;
  xddot_r_.segment<3>(LegTasks::kAngular) = wdot_d - lambda * edot;
  output.e.segment<3>(3) = e;

  for (size_t i = 0; i < legs_.feet.size(); ++i) {
    if (next_.feet[i].contact) {
      FillAnchor(i, !next_.stepping && gait_->IsInAir(measured.foot_force, i));
    } else {
      FillSwing(i);
    }
    if (legs_.feet[i].flat()) FillSole(i, reference.body);
  }
  const Eigen::Index joints = model_.nv() - 6;
  auto e_j = output.e.tail(joints);
  e_j = measured.q.tail(joints) - reference.q.tail(joints);
  const Eigen::MatrixXd& P = tasks_.posture();
  const int row = tasks_.posture_row();
  joint_rate_ = reference.v.tail(joints) - lambda * e_j;
  posture_error_.noalias() = P * e_j;
  // motion of a leg that moves its foot is no posture error
  e_j.noalias() = P.transpose() * posture_error_;
  xdot_r_.segment(row, P.rows()).noalias() = P * joint_rate_;
  joint_rate_ =
      reference.vdot.tail(joints) - lambda * (measured.v.tail(joints) - reference.v.tail(joints));
  xddot_r_.segment(row, P.rows()).noalias() = P * joint_rate_;
}

// The anchor of a rolling ball moves with it. During the exchange of load the foot's error is
// taken as zero.
void WholeBody::FillAnchor(size_t i, bool is_in_air) {
  const FootKinematics& foot = now_.feet[i];
  LegState::Foot& state = next_.feet[i];
  Eigen::Vector3d e = foot.p - state.anchor, anchor_rate = foot.pdot - foot.v;
  Eigen::Vector3d edot = foot.v;
  if (!is_in_air || e.z() < 0) e.z() = edot.z() = 0;
  if (next_.stepping && state.load < 1 && !next_.lifted) {
    e.setZero();
    edot.setZero();
  }
  if (state.force > anchor_force_ && !is_in_air) {
    anchor_rate += kAnchorLeak * e;
    edot -= kAnchorLeak * e;
  }
  const bool firm = !legs_.feet[i].flat() && !next_.stepping;
  const double lambda = gain(kLambdaAnchor)[0] * (firm ? kStandingAnchors : 1);
  xdot_r_.segment<3>(tasks_.foot_row(i)) = -lambda * e;
  xddot_r_.segment<3>(tasks_.foot_row(i)) = -lambda * edot;
  state.anchor += legs_.dt * anchor_rate;
}

void WholeBody::FillSwing(size_t i) {
  const FootKinematics& foot = now_.feet[i];
  const LegState::Foot& state = next_.feet[i];
  const double lambda = gain(kLambdaSwing)[0];
  xdot_r_.segment<3>(tasks_.foot_row(i)) = state.v - lambda * (foot.p - state.p);
  xddot_r_.segment<3>(tasks_.foot_row(i)) = state.a - lambda * (foot.pdot - state.v);
}

// ẋ_r = −λ R e with e = Log(R_dᵀR), and its rate.
void WholeBody::FillSole(size_t i, const BodyCommand& command) {
  const FootKinematics& foot = now_.feet[i];
  const LegState::Foot& state = next_.feet[i];
  const double lambda = gain(state.contact ? kLambdaAnchor : kLambdaSwing)[0];
  const Eigen::Matrix3d R_d =
      Eigen::AngleAxisd(state.anchor_yaw, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  const bool turns = next_.stepping && !state.contact;  // R_d rotates with the heading
  Eigen::Vector3d w_d = Eigen::Vector3d::Zero();
  if (turns) w_d = TurnRate(command);
  const Eigen::Vector3d e = RotationLog(R_d.transpose() * foot.R);
  const Eigen::Vector3d turn = foot.R * e;
  const Eigen::Vector3d edot = RightJacobianInverse(e) * (foot.R.transpose() * (foot.w - w_d));
  const int row = tasks_.foot_row(i) + 3;
  xdot_r_.segment<3>(row) = -lambda * turn;
  xddot_r_.segment<3>(row) = -lambda * (foot.w.cross(turn) + foot.R * edot);
}

void WholeBody::CalcWanted(const ControlOutput& output) {
  CalcDampingForce(gain_form(), gain(kKD), H_, output.s, scratch_, K_D_s_);
  W_wanted_ = g_ - K_D_s_;
  W_wanted_.noalias() += H_ * output.sdot_ref;
  W_wanted_.noalias() += C_ * v_r_;
  AddPassiveForces(workspace_.q(), v_r_, W_wanted_);
  if (estimates_) {
    estimates_->AddTorque(factorization(), v_r_, output.sdot_ref, output.s, H_, workspace_,
                          W_wanted_);
  }
  if (observer() && observer()->compensates()) {
    const Eigen::VectorXd& r = observer()->r();
    W_wanted_.segment<4>(2) -= r.segment<4>(2);
    // r does not tell where the excess weight is: the forces on the feet are known only through
    // joints that may themselves be too heavy. It is distributed over the links in proportion to
    // the model's mass: then an excess of all links does not lean the robot, and a load on the
    // trunk hardly does.
    const Eigen::Index joints = model_.nv() - 6;
    W_wanted_.tail(joints) -= r[2] / weight_ * g_.tail(joints);
  }
}

// The base's rows are [force, world axes; moment about its origin, its own axes].
Wrench WholeBody::WrenchAtCom(const Eigen::Ref<const Eigen::VectorXd>& W) const {
  Wrench wrench;
  wrench.head<3>() = W.head<3>();
  wrench.tail<3>() = now_.R_base * W.segment<3>(3) - (now_.c - now_.p_base).cross(W.head<3>());
  return wrench;
}

// The zero-moment point of the wrench [F; M] at c, h above the contacts, is
//   z = c − [h F_x + M_y, h F_y − M_x]/F_z;
// it depends on the horizontal accelerations of the linear task.
void WholeBody::KeepPressureInside(const Eigen::Matrix<double, 6, 6>& response) {
  shift_ = 0;
  const Wrench wrench = WrenchAtCom(W_);
  const double F_z = wrench[2];
  if (!(F_z > kMinForce * weight_)) return;
  std::array<Point2, SupportPolygon::kMaxPoints> points;
  size_t n = 0;
  double height = 0;
  for (size_t i = 0; i < legs_.feet.size(); ++i) {
    if (next_.feet[i].load <= 0) continue;
    for (const Eigen::Vector3d& p : now_.feet[i].contacts) {
      points[n++] = p.head<2>();
      height += p.z();
    }
  }
  if (n == 0) return;
  const double h = now_.c.z() - height / static_cast<double>(n);
  const bool flat = legs_.feet.front().flat();
  const SupportPolygon support =
      SupportPolygon({points.data(), n}).Shrunk(flat ? kShrinkFlat : kShrinkPoints);
  const Point2 z =
      Point2(now_.c.head<2>()) - Point2(h * wrench[0] + wrench[4], h * wrench[1] - wrench[3]) / F_z;
  const Point2 dz = support.Closest(z) - z;
  shift_ = dz.norm();
  if (shift_ < kLeastShift) return;
  Eigen::Matrix2d Z;
  for (int k = 0; k < 2; ++k) {
    const Wrench rate = WrenchAtCom(response.col(k));
    Z.col(k) << -(h * rate[0] + rate[4]) / F_z, -(h * rate[1] - rate[3]) / F_z;
  }
  Eigen::Vector2d a = Z.inverse() * dz;
  if (!a.allFinite()) return;
  a *= std::min(1.0, kMaxCorrection * weight_ / now_.mass / (a.norm() + 1e-9));
  tasks_.AddTrunkResponse(H_, (Wrench() << a, Eigen::Vector4d::Zero()).finished(), W_);
}

void WholeBody::GiveUpUnmet(const Eigen::Matrix<double, 6, 6>& response) {
  Wrench missed = forces_.unmet();
  const Eigen::Vector3d F = missed.head<3>();
  missed.tail<3>() = now_.R_base.transpose() * (missed.tail<3>() + (now_.c - now_.p_base).cross(F));
  const Wrench a = response.partialPivLu().solve(missed);
  if (a.allFinite()) tasks_.AddTrunkResponse(H_, a, W_);
}

bool WholeBody::GivesLess() const {
  const double force = kHeldFrom * weight_;
  const Wrench& unmet = forces_.unmet();
  return shift_ >= kLeastShift || unmet.head<3>().norm() > force ||
         unmet.tail<3>().norm() > force * gait_->home_height();
}

StorageState WholeBody::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  StorageState storage = CalcKineticStorage(plant, output);
  storage.P = output.s.dot(K_D_s_) + CalcPassiveDissipation(v_r_, output.s);
  if (estimates_) estimates_->AddStorage(plant.model, gain(kGamma)[0], &storage);
  return storage;
}

std::optional<SteppingState> WholeBody::stepping() const {
  const Wrench& unmet = forces_.unmet();
  return SteppingState{.is_stepping = next_.stepping,
                       .steps = next_.steps,
                       .qp_fallbacks = next_.qp_fallbacks,
                       .unmet_force = unmet.head<3>().norm(),
                       .unmet_moment = unmet.tail<3>().norm(),
                       .home = next_.c_to,
                       .yaw = next_.yaw,
                       .qp_s = qp_s_};
}

void WholeBody::FillSignals(ContactForces::Status status, ControlOutput& output) {
  Eigen::VectorXd& signals = output.signals;
  const Wrench& unmet = forces_.unmet();
  signals[kUnmetForce] = unmet.head<3>().norm();
  signals[kUnmetMoment] = unmet.tail<3>().norm();
  signals[kInjected] = output.s.dot(W_) - output.s.dot(W_wanted_);
  signals[kDcmMargin] = gait_->margin();
  signals[kShift] = shift_;
  signals[kStepping] = next_.stepping;
  signals[kSteps] = next_.steps;
  signals[kQpStatus] = static_cast<double>(status);
  signals[kQpIterations] = forces_.iterations();
  signals.segment<2>(kDcm) = gait_->dcm();
  signals.segment<2>(kPressure) = forces_.center_of_pressure();
  const auto n = static_cast<Eigen::Index>(legs_.feet.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    const LegState::Foot& foot = next_.feet[static_cast<size_t>(i)];
    signals[kNumSignals + i] = foot.contact;
    signals[kNumSignals + n + i] = foot.force;
  }
  if (estimates_) {
    estimates_->FillSignals(signals.segment(kNumSignals + 2 * n, estimates_->num_signals()));
  }
}

}  // namespace civita
