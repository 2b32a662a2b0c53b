#include "civita/controllers/task_space_law.h"

#include <string>

#include "civita/controllers/damping_force.h"
#include "civita/controllers/kinetic_storage.h"
#include "civita/error.h"

namespace civita {
namespace {

const TaskFrame& TaskOf(const ControllerOptions& options) {
  CIVITA_CHECK(options.task.has_value(), "task_space without a task");
  return *options.task;
}

bool Always(const LawOptions& /*own*/) { return true; }

}  // namespace

constinit const LawInfo kTaskSpaceLaw = {
    .type = "task_space",
    .title = "Task space, posture in its null space",
    .law = "τ = H v̇_r + C v_r + g − Jᵀ(K_x σ − X s_n) − Pᵀ(K_D s_n + Xᵀσ)",
    .parameters = kTaskSpaceParameters,
    .make = &MakeLaw<TaskSpaceLaw>,
    .damping = DampingForm::kInertia,
    .uses_factorization = true,
    .knows_loops = true,
    .moves_frame = &Always,
};

TaskSpaceLaw::TaskSpaceLaw(const Model& model, const ControllerOptions& options)
    : Controller(model, kTaskSpaceLaw, options),
      field_(model, TaskOf(options), options.q_start, loops_ ? &*loops_ : nullptr),
      error_(model.nv()),
      sigma_(TaskVector::Zero(field_.nx())),
      K_x_sigma_(sigma_),
      v_r_(Eigen::VectorXd::Zero(model.nv())),
      feedback_(v_r_),
      s_(Eigen::VectorXd::Zero(field_.J().cols())),
      s_n_(s_),
      K_D_s_n_(s_),
      scratch_(s_),
      force_(s_) {
  if (loops_) {
    C_w_ = Eigen::MatrixXd::Zero(loops_->nw(), loops_->nw());
    K_D_w_ = s_;
  }
  std::vector<SignalInfo> signals = field_.Signals();
  signals.push_back({.name = "/task/V_J", .unit = "J", .doc = "part of V in the task: ½ σᵀΛσ"});
  signals.push_back(
      {.name = "/posture/V_J", .unit = "J", .doc = "part of V in the posture: ½ s_nᵀH s_n"});
  DefineSignals(std::move(signals));
}

/// force_ = Jᵀ(K_x σ − X s_n) + Pᵀ(K_D s_n + Xᵀσ), from s_.
void TaskSpaceLaw::CalcFeedback(const Eigen::MatrixXd& H, const Eigen::MatrixXd& C,
                                const Eigen::VectorXd& K_D, Eigen::VectorXd& signals) {
  const Eigen::MatrixXd &J = field_.J(), &Jdot = field_.Jdot(), &Y = field_.Y();
  const TaskField::TaskMatrix& Lambda = field_.Lambda();
  TaskVector a(field_.nx()), b(field_.nx());
  sigma_.noalias() = J * s_;
  a.noalias() = Lambda * sigma_;
  s_n_ = s_;
  s_n_.noalias() -= Y * a;
  K_x_sigma_ = gain(kKX)[0] * (gain_form() == GainForm::kMass ? a : sigma_);
  const double V_x = 0.5 * sigma_.dot(a);
  scratch_.noalias() = H * s_n_;
  const double V_n = 0.5 * s_n_.dot(scratch_);
  CalcDampingForce(gain_form(), K_D, H, s_n_, scratch_, K_D_s_n_);

  // X = Λ(YᵀC − J̇) acts on s_n, and its transpose on σ: a = Λσ there.
  scratch_.noalias() = C * s_n_;
  b.noalias() = Y.transpose() * scratch_;
  b.noalias() -= Jdot * s_n_;
  const TaskVector X_s_n = Lambda * b;
  scratch_.noalias() = Y * a;
  force_ = K_D_s_n_;
  force_.noalias() += C.transpose() * scratch_;
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

ControlStatus TaskSpaceLaw::CalcControl(const Measurement& measured,
                                        const ReferenceState& reference, ControlOutput& output) {
  UpdateDynamics(measured.q, measured.v, output);
  CalcTrackingError(model_, measured.q, measured.v, reference, error_);
  const Eigen::VectorXd& Lambda = gain(kLambda);
  v_r_ = error_.v_d - Lambda.cwiseProduct(error_.e);
  output.sdot_ref = error_.vdot_d - Lambda.cwiseProduct(error_.edot);
  output.e = error_.e;
  if (!field_.Update(reference, gain(kLambdaX)[0], H_, workspace_, v_r_, output.sdot_ref))
    return FailControl(ControlStatus::kNotFinite, output);
  if (loops_) loops_->CloseMotion(v_r_, output.sdot_ref);
  output.s = measured.v - v_r_;
  if (loops_) {
    loops_->ReduceCoriolis(H_, C_, C_w_);
    loops_->Select(output.s, s_);
    loops_->Select(gain(kKD), K_D_w_);
    CalcFeedback(loops_->H(), C_w_, K_D_w_, output.signals);
    loops_->Spread(force_, feedback_);
  } else {
    s_ = output.s;
    CalcFeedback(H_, C_, gain(kKD), output.signals);
    feedback_ = force_;
  }
  output.tau = g_ - feedback_;
  output.tau.noalias() += H_ * output.sdot_ref;
  output.tau.noalias() += C_ * v_r_;
  AddPassiveForces(measured.q, v_r_, output.tau);
  return FinishControl(output);
}

StorageState TaskSpaceLaw::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  const Eigen::VectorXd& s = output.s;
  StorageState storage = CalcKineticStorage(plant, output, feedback_);
  storage.P = sigma_.dot(K_x_sigma_) + s_n_.dot(K_D_s_n_) + CalcPassiveDissipation(v_r_, s);
  return storage;
}

}  // namespace civita
