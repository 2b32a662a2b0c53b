#include "python/src/law_stepper.h"

#include <utility>

#include "civita/error.h"

namespace civita::python {

LawStepper::LawStepper(std::shared_ptr<const LoadedModel> model, const std::string& type,
                       const Factorization& factorization, GainForm gain_form,
                       const Eigen::VectorXd& q_start, const Gains& gains)
    : model_(std::move(model)) {
  const LawInfo& info = FindLaw(type);
  if (info.needs_legs || info.MovesFrame({})) {
    throw UserError(type + " needs a scene, with its feet or its task; use civita.run");
  }
  ControllerOptions options;
  options.factorization = factorization;
  options.gain_form = gain_form;
  options.q_start = q_start;
  controller_ = info.make(model_->model, options);
  for (const auto& [key, value] : gains) controller_->set_gain(key, value);
  output_.emplace(*controller_);
  rate_ = next_ = controller_->state();
}

const Eigen::VectorXd& LawStepper::Step(double t, const Eigen::VectorXd& q,
                                        const Eigen::VectorXd& v, const ReferenceState& reference) {
  const std::lock_guard lock(mutex_);
  measured_ = {t, q, v};
  if (!last_t_) {
    controller_->ResetState(measured_, reference);
  } else if (t < *last_t_) {
    throw UserError("t: before the last step; reset() starts anew");
  } else {
    controller_->CalcStateRate(output_->tau, *output_, rate_);
    controller_->CalcNextState(t - *last_t_, rate_, next_);
    controller_->set_state(next_);
  }
  last_t_ = t;
  if (controller_->CalcControl(measured_, reference, *output_) != ControlStatus::kOk) {
    throw UserError(std::string(controller_->info().type) + ": no finite torque at this state");
  }
  return output_->tau;
}

}  // namespace civita::python
