#include "scenes/control/law.h"

#include "scenes/schema/key_row.h"

namespace civita {
namespace {

std::vector<std::string> LawNames() {
  std::vector<std::string> names;
  for (const LawInfo* law : Laws()) names.emplace_back(law->type);
  return names;
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
      {"gain_form", OneOf<&C::gain_form, kForms>(), "",
       "gains times H(q), or diagonal in joint units"},
      {"model_scale", &C::model_scale, "", "controller's inertias over the model file's",
       kPositive},
      {"estimate", &C::estimate, "",
       "YAML or JSON file of what the controller takes some bodies' inertias for"},
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

}  // namespace civita
