#include "civita/controllers/reference_dynamics.h"

#include <cmath>

#include "civita/controllers/units.h"
#include "civita/error.h"

namespace civita {
namespace {

FieldOptions::Goal GoalOf(const LawOptions& own) {
  const std::string& goal = own.Text("goal");
  if (goal == "limit_cycle") return FieldOptions::Goal::kLimitCycle;
  return goal == "task" ? FieldOptions::Goal::kTask : FieldOptions::Goal::kTracking;
}

bool MovesFrame(const LawOptions& own) { return GoalOf(own) == FieldOptions::Goal::kTask; }

bool FollowsReference(const LawOptions& own) {
  return GoalOf(own) != FieldOptions::Goal::kLimitCycle;
}

}  // namespace

constinit const LawInfo kReferenceDynamicsLaw = LawInW<ReferenceDynamics>(
    "reference_dynamics",
    {.title = "Reference dynamics",
     .law = "τ = H v̇_r + C v_r + g − (K_D + G) s, v̇_r = v̇_f + k s − K_v (v − v_f)",
     .parameters = kReferenceDynamicsParameters,
     .options = kReferenceDynamicsOptions,
     .damping = DampingForm::kInertia,
     .uses_factorization = true,
     .moves_frame = &MovesFrame,
     .follows_reference = &FollowsReference});

FieldOptions FieldOptions::Of(const LawOptions& own) {
  return {.goal = GoalOf(own),
          .level = own.Text("level") == "velocity" ? Level::kVelocity : Level::kAcceleration,
          .cycle_radius = own.Number("cycle_radius"),
          .cycle_rate = own.Number("cycle_rate")};
}

ReferenceDynamics::ReferenceDynamics(const Model& model, const ControllerOptions& options)
    : SlotineLi(model, kReferenceDynamicsLaw, options),
      field_(FieldOptions::Of(options_.own)),
      w_f_(w_r_),
      wdot_f_(w_r_) {
  if (is_state()) DefineState(nw());
  if (field_.goal == FieldOptions::Goal::kLimitCycle) {
    CheckCycle();
    DefineSignals({{.name = "/cycle/radius",
                    .unit = PositionUnit(model),
                    .doc = "distance from the centre of the limit cycle"}});
  } else if (field_.goal == FieldOptions::Goal::kTask) {
    CIVITA_CHECK(options.task.has_value(), "the goal task without a task");
    task_.emplace(space_, *options.task, options.q_start);
    DefineSignals(task_->Signals());
  }
}

void ReferenceDynamics::CheckCycle() const {
  if (space_.coordinates() != nullptr) {
    throw UserError(
        "controller.goal: a limit_cycle is in the first two coordinates of the robot; valid "
        "without "
        "controller.coordinates");
  }
  int plain = 0;  // the first coordinates that are no rotation of a ball
  for (const Model::NamedJoint& joint : model_.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (joint.iv != plain) break;
    plain += rotation < 0 ? NumVelocities(joint.type) : rotation;
  }
  if (plain >= 2 && (space_.dependent(0) || space_.dependent(1))) {
    throw UserError(
        "controller.goal: a limit_cycle is in the first two coordinates, which the loops of this "
        "model couple");
  }
  if (plain >= 2) return;
  throw UserError(
      "controller.goal: a limit_cycle is in the first two coordinates, which must be hinges or "
      "slides; the model begins with " +
      std::to_string(plain));
}

/// The last terms of v_f: −Λ w e₁₂ + Ω J e₁₂ in place of −Λ e₁₂.
void ReferenceDynamics::TurnToCycle() {
  const Eigen::Vector2d e = error().e.head<2>(), edot = error().edot.head<2>();
  const Eigen::Vector2d Lambda = gain_w(kLambda).head<2>();
  const double RR = field_.cycle_radius * field_.cycle_radius;
  const double sum = e.squaredNorm() + RR;
  const double one_w = 2 * RR / sum;  // 1 − w
  const double wdot = 2 * one_w * e.dot(edot) / sum;
  const double Omega = field_.cycle_rate;
  w_f_.head<2>() += one_w * Lambda.cwiseProduct(e) + Omega * Eigen::Vector2d(-e[1], e[0]);
  wdot_f_.head<2>() +=
      Lambda.cwiseProduct(one_w * edot - wdot * e) + Omega * Eigen::Vector2d(-edot[1], edot[0]);
}

void ReferenceDynamics::CalcField(const ReferenceState& reference) {
  const Eigen::VectorXd& Lambda = gain_w(kLambda);
  w_f_ = error().v_d - Lambda.cwiseProduct(error().e);
  wdot_f_ = error().vdot_d - Lambda.cwiseProduct(error().edot);
  if (field_.goal == FieldOptions::Goal::kLimitCycle) TurnToCycle();
  if (task_ && !task_->Update(reference, gain(kLambdaX)[0], H_w(), at_, w_f_, wdot_f_)) {
    wdot_f_.setConstant(NAN);  // reported by FinishControl
  }
}

void ReferenceDynamics::CalcReferenceVelocity(const ReferenceState& reference,
                                              ControlOutput& output) {
  CalcField(reference);
  if (task_) task_->FillSignals(output.signals);
  if (field_.goal == FieldOptions::Goal::kLimitCycle) {
    output.signals[0] = error().e.head<2>().norm();
  }
  wdot_r_ = wdot_f_;
  if (!is_state()) {
    w_r_ = w_f_;
    return;
  }
  w_r_ = state_.head(nw());
  wdot_r_ += gain(kK)[0] * (w() - w_r_) - gain_w(kKv).cwiseProduct(w() - w_f_);
}

void ReferenceDynamics::ResetLaw(const Measurement& start, const ReferenceState& /*reference*/,
                                 Eigen::Ref<Eigen::VectorXd> x) {
  if (!is_state()) return;
  const bool exists = UpdateKinematicsAlong<double>(space_, start.q, start.v, at_).ok();
  if (exists) {
    x = w();
  } else {
    x.setZero();
  }
}

void ReferenceDynamics::CalcLawRate(const Eigen::VectorXd& /*tau_applied*/,
                                    const ControlOutput& /*output*/,
                                    Eigen::Ref<Eigen::VectorXd> xdot) {
  if (is_state()) xdot = wdot_r_;
}

}  // namespace civita
