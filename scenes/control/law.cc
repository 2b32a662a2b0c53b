#include "civita/scenes/control/law.h"

#include <exception>
#include <utility>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/schema/formula.h"
#include "civita/scenes/schema/gain_value.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"

namespace civita {
namespace {

std::vector<std::string> LawNames() {
  std::vector<std::string> names;
  for (const LawInfo* law : Laws()) names.emplace_back(law->type);
  return names;
}

// Makes the law; prefixes its errors with the key.
std::unique_ptr<Controller> MakeLawOf(const LawInfo& law, const Model& model,
                                      const ControllerOptions& options) {
  const std::string name = "controller.type: the law '" + std::string(law.type) + "' ";
  std::unique_ptr<Controller> made;
  try {
    made = law.make(model, options);
  } catch (const UserError& error) {
    const std::string what = error.what();
    throw KeyError(what.substr(0, what.find(':')), what);
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    throw KeyError("controller.type", name + "threw what is no exception when it was made");
  }
  if (made == nullptr) throw KeyError("controller.type", name + "made no controller");
  return made;
}

}  // namespace

std::span<const KeyRow<LawConfig>> LawKeys() {
  using C = LawConfig;
  using enum NumberRange;
  static constexpr Choice<GainForm> kForms[] = {{"mass", GainForm::kMass},
                                                {"diagonal", GainForm::kDiagonal}};
  static constexpr KeyRow<C> kKeys[] = {
      {"type", OneOfNames<&C::controller, LawNames>(), "", "control law"},
      {"factorization", &C::factorization, "", "which Coriolis matrix"},
      {"coordinates", &C::coordinates, "",
       "velocities of the law's gains and errors: v, or w with v = A(q) w"},
      {"gain_form", OneOf<&C::gain_form, kForms>(), "",
       "gains times H(q), or diagonal in joint units"},
      {"model_scale", &C::model_scale, "",
       "factor on the model file's inertias in the controller's model", kPositive},
      {"estimate", &C::estimate, "",
       "YAML or JSON file of the controller's estimates of some bodies' inertias"},
      {"*", &C::law_options, "", "options of the law, LawInfo::options"},
  };
  return kKeys;
}

std::span<const KeyRow<LawConfig>> GainKeys() {
  static constexpr KeyRow<LawConfig> kKeys[] = {
      {"gains", &LawConfig::gains, "see the law",
       "gains of the law, ≥ 0; or bandwidth_hz, damping_ratio", NumberRange::kNotNegative},
  };
  return kKeys;
}

std::unique_ptr<Controller> MakeController(const Model& control_model,
                                           const std::filesystem::path& directory,
                                           ControllerOptions options, LawConfig* config) {
  const LawInfo& law = FindLaw(config->controller);
  try {
    options.factorization = ReadFactorization(config->factorization, control_model, directory);
  } catch (const UserError& error) {
    throw KeyError("controller.factorization", std::string("controller.") + error.what());
  }
  config->factorization = ToString(options.factorization);
  options.own = config->law_options;
  options.gain_form = config->gain_form;
  std::unique_ptr<Controller> controller = MakeLawOf(law, control_model, options);
  for (const ParameterInfo& gain : controller->parameters()) {
    const auto given = config->gains.find(std::string(gain.key));
    if (given == config->gains.end()) continue;
    const bool is_whole = !config->gains_by_entries.contains(given->first);
    controller->set_gain(gain.key,
                         internal::FitGain(gain, {given->second, is_whole}, control_model.nv()));
  }
  return controller;
}

}  // namespace civita
