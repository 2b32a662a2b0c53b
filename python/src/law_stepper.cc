#include "python/src/law_stepper.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/suggest.h"

namespace civita::python {
namespace {

LawOptions ReadOptions(const LawInfo& law, const LawStepper::Options& texts) {
  LawOptions read;
  for (const auto& [key, text] : texts) {
    const auto option = std::ranges::find(law.options, key, &OptionInfo::key);
    if (option == law.options.end()) {
      std::vector<std::string> keys;
      for (const OptionInfo& each : law.options) keys.emplace_back(each.key);
      throw UserError(UnknownName("option", key, keys));
    }
    const std::string place = "options." + key;
    read.Set(key, internal::ReadOption(*option, ParseYamlArgument(text, place), place));
  }
  return read;
}

}  // namespace

LawStepper::LawStepper(std::shared_ptr<const LoadedModel> model, const std::string& type,
                       const Factorization& factorization, GainForm gain_form,
                       const Eigen::VectorXd& q_start, const Gains& gains, const Options& own)
    : model_(std::move(model)) {
  const LawInfo& info = FindLaw(type);
  ControllerOptions options;
  options.own = ReadOptions(info, own);
  if (info.needs_legs || info.MovesFrame(options.own)) {
    throw UserError(type + " needs a scene, with its feet or its task; use civita.run");
  }
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
