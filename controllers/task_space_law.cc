#include "civita/controllers/task_space_law.h"

#include <string>

#include "civita/controllers/damping_force.h"
#include "civita/error.h"

namespace civita {
namespace {

const TaskFrame& TaskOf(const ControllerOptions& options) {
  CIVITA_CHECK(options.task.has_value(), "task_space without a task");
  return *options.task;
}

bool Always(const LawOptions& /*own*/) { return true; }

}  // namespace

constinit const LawInfo kTaskSpaceLaw = LawInW<TaskSpaceLaw>(
    "task_space", {.title = "Task space, posture in its null space",
                   .law = "τ = H v̇_r + C v_r + g − Jᵀ(K_x σ − X s_n) − Pᵀ(K_D s_n + Xᵀσ)",
                   .parameters = kTaskSpaceParameters,
                   .damping = DampingForm::kInertia,
                   .uses_factorization = true,
                   .moves_frame = &Always});

TaskSpaceLaw::TaskSpaceLaw(const Model& model, const ControllerOptions& options)
    : Controller(model, kTaskSpaceLaw, options),
      field_(space_, TaskOf(options), options.q_start),
      sigma_(TaskVector::Zero(field_.nx())),
      K_x_sigma_(sigma_),
      w_r_(Eigen::VectorXd::Zero(nw())),
      wdot_r_(w_r_),
      s_(w_r_),
      s_n_(w_r_),
      K_D_s_n_(w_r_),
      scratch_(w_r_),
      force_(w_r_),
      tau_(w_r_) {
  std::vector<SignalInfo> signals = field_.Signals();
  signals.push_back({.name = "/task/V_J", .unit = "J", .doc = "part of V in the task: ½ σᵀΛσ"});
  signals.push_back(
      {.name = "/posture/V_J", .unit = "J", .doc = "part of V in the posture: ½ s_nᵀH s_n"});
  DefineSignals(std::move(signals));
}

/// force_ = Jᵀ(K_x σ − X s_n) + Pᵀ(K_D s_n + Xᵀσ), from s_.
void TaskSpaceLaw::CalcFeedback(Eigen::VectorXd& signals) {
  const Eigen::MatrixXd &J = field_.J(), &Jdot = field_.Jdot(), &Y = field_.Y();
  const TaskField::TaskMatrix& Lambda = field_.Lambda();
  TaskVector a(field_.nx()), b(field_.nx());
  sigma_.noalias() = J * s_;
  a.noalias() = Lambda * sigma_;
  s_n_ = s_;
  s_n_.noalias() -= Y * a;
  K_x_sigma_ = gain(kKX)[0] * (gain_form() == GainForm::kMass ? a : sigma_);
  const double V_x = 0.5 * sigma_.dot(a);
  scratch_.noalias() = H_w() * s_n_;
  const double V_n = 0.5 * s_n_.dot(scratch_);
  CalcDampingForce(gain_form(), gain_w(kKD), H_w(), s_n_, scratch_, K_D_s_n_);

  // X = Λ(YᵀC − J̇) acts on s_n, and its transpose on σ: a = Λσ there.
  scratch_.noalias() = C_w() * s_n_;
  b.noalias() = Y.transpose() * scratch_;
  b.noalias() -= Jdot * s_n_;
  const TaskVector X_s_n = Lambda * b;
  scratch_.noalias() = Y * a;
  force_ = K_D_s_n_;
  force_.noalias() += C_w().transpose() * scratch_;
  force_.noalias() -= Jdot.transpose() * a;

  // Pᵀ = 1 − JᵀΛYᵀ.
  b.noalias() = Y.transpose() * force_;
  a.noalias() = Lambda * b;
  a -= K_x_sigma_ - X_s_n;
  force_.noalias() -= J.transpose() * a;

  const Eigen::Index at = field_.FillSignals(signals);
  signals[at] = V_x;
  signals[at + 1] = V_n;
}

Status TaskSpaceLaw::CalcControl(const Measurement& measured, const ReferenceState& reference,
                                 ControlOutput& output) {
  if (const Status status = BeginControl(measured, reference, output); !status) return status;
  const Eigen::VectorXd& Lambda = gain_w(kLambda);
  w_r_ = error().v_d - Lambda.cwiseProduct(error().e);
  wdot_r_ = error().vdot_d - Lambda.cwiseProduct(error().edot);
  if (!field_.Update(reference, gain(kLambdaX)[0], H_w(), at_, w_r_, wdot_r_))
    return FailControl(Status::kNotFinite, output);
  SetReference(w_r_, wdot_r_, s_, output);
  CalcFeedback(output.signals);
  tau_ = g_w() - force_;
  tau_.noalias() += H_w() * wdot_r_;
  tau_.noalias() += C_w() * w_r_;
  AddTreeForces(tau_, [&](Eigen::VectorXd& tau) { AddPassiveForces(measured.q, v_r(), tau); });
  return FinishControl(tau_, output);
}

StorageState TaskSpaceLaw::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  StorageState storage = CalcKineticStorage(plant, output);
  storage.P = sigma_.dot(K_x_sigma_) + s_n_.dot(K_D_s_n_) + CalcPassiveDissipation(v_r(), output.s);
  return storage;
}

}  // namespace civita
