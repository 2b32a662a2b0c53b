#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "civita/build_info.h"
#include "civita/sim/run_json.h"
#include "civita/study/advise/advice_text.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

Json Of(const ErrorPair& pair) {
  return {{"error", pair.error}, {"torsion_free", pair.torsion_free}, {"ratio", pair.ratio()}};
}

/// {"all": …, "joints": …} of what stands in the order of the advice's parts.
template <typename Parts, typename Value>
Json PartsOf(const Advice& advice, const Parts& parts, const Value& value) {
  Json json = Json::object();
  for (std::size_t i = 0; i < parts.size(); ++i) json[advice.parts[i].name] = value(parts[i]);
  return json;
}

Json Of(const PartDecay& part) {
  return {{"joint", Of(part.joint)}, {"energy", Of(part.energy)}, {"impulse", Of(part.impulse)},
          {"noise", Of(part.noise)}, {"least", part.least},       {"largest", part.largest}};
}

Json Of(const Advice& advice, const std::vector<ErrorPair>& parts) {
  return PartsOf(advice, parts, [](const ErrorPair& pair) { return Of(pair); });
}

Json Of(const Advice& advice, const DecayAdvice& start) {
  const auto decay = [](const PartDecay& part) { return Of(part); };
  const auto range = [](const RatioRange& r) -> Json {
    return {{"least", r.least}, {"mean", r.mean}, {"largest", r.largest}};
  };
  Json json = {{"from_s", start.from_s},
               {"parts", PartsOf(advice, start.parts, decay)},
               {"pushes", Json::object()},
               {"slowest_rate", start.slowest_rate},
               {"slowest_rate_torsion_free", start.slowest_rate_torsion_free}};
  for (const PushAnswer& push : start.pushes) {
    json["pushes"][push.body] = PartsOf(advice, push.parts, range);
  }
  return json;
}

Json Of(const Advice& advice, const ClosedForms& forms) {
  const auto change = [](const PartChange& part) -> Json {
    const bool is_small = std::isfinite(part.joint_mean + part.energy_mean + part.impulse_mean);
    return {{"why", is_small ? ""
                             : "a mean square changes by more than half; the second order in K "
                               "does not tell then"},
            {"lambda_min", part.lambda_min},
            {"lambda_max", part.lambda_max},
            {"largest_increase", part.largest_increase},
            {"largest_decrease", part.largest_decrease},
            {"joint_mean", part.joint_mean},
            {"energy_mean", part.energy_mean},
            {"impulse_mean", part.impulse_mean}};
  };
  return {{"k", forms.k},
          {"Lambda", forms.Lambda},
          {"turning", forms.turning},
          {"feedback_torque", forms.feedback_torque},
          {"sampling_share", forms.sampling_share},
          {"largest_factor", forms.largest_factor},
          {"safe_factor", forms.safe_factor},
          {"parts", PartsOf(advice, forms.parts, change)}};
}

Json Of(const JudgedSetting& setting) {
  Json json = {{"name", setting.name},         {"settings", setting.settings},
               {"joint", setting.joint},       {"joint_torsion_free", setting.joint_torsion_free},
               {"energy", setting.energy},     {"slowest_rate", setting.slowest_rate},
               {"feedback", setting.feedback}, {"largest_delay_s", setting.largest_delay_s}};
  if (setting.G.size() == 0) return json;
  for (const auto& row : setting.G.rowwise()) {
    Json& numbers = json["G"].emplace_back(Json::array());
    for (const double x : row) numbers.push_back(x);
  }
  return json;
}

Json Of(const StableFactor& limit) {
  return {{"stable", limit.stable},       {"grows", limit.grows},
          {"predicted", limit.predicted}, {"duration_s", limit.duration_s},
          {"runs", limit.runs},           {"interrupted", limit.interrupted}};
}

Json Of(const std::vector<AdviceSentence>& sentences) {
  Json json = Json::array();
  for (const AdviceSentence& sentence : sentences) {
    json.push_back({{"text", sentence.text}, {"formula", sentence.formula}});
  }
  return json;
}

Json AssumptionsOf(const Advice& advice) {
  return {{"law", advice.law},
          {"factorization", advice.factorization},
          {"is_torsion_free", advice.is_torsion_free},
          {"is_bare_model", advice.is_bare_model},
          {"gain_form", advice.gain_form == GainForm::kMass ? "mass" : "diagonal"},
          {"K_D", {advice.K_D_min, advice.K_D_max}},
          {"Lambda", {advice.Lambda_min, advice.Lambda_max}},
          {"omega_G", advice.omega_G},
          {"k_min", advice.k_min},
          {"k_max", advice.k_max},
          {"k_mean", advice.k_mean},
          {"reference", advice.reference},
          {"rests", advice.rests},
          {"from_s", advice.from_s},
          {"to_s", advice.to_s},
          {"period_s", advice.period_s},
          {"delay_s", advice.delay_s},
          {"e_start", advice.e_start},
          {"s_start", advice.s_start},
          {"left_out", advice.left_out}};
}

}  // namespace

std::string FormatAdviceJson(const Advice& advice, const std::string& command) {
  const AdviceText text = DescribeAdvice(advice);
  Json json;
  json["scene"] = advice.scene;
  json["title"] = advice.title;
  json["verdict"] = text.verdict;
  json["matters"] = ChoiceMatters(advice);
  json["assumptions"] = AssumptionsOf(advice);
  json["units"] = Json::object();
  for (const ErrorPart& part : advice.parts) json["units"][part.name] = part.unit;
  json["rates"] = {{"omega_F", advice.rates.omega_F},
                   {"omega_2", advice.rates.omega_2},
                   {"omega_2_max", advice.rates.omega_2_max},
                   {"eta", advice.rates.eta}};
  json["closed_forms"] = advice.closed_forms ? Of(advice, *advice.closed_forms) : Json(nullptr);
  json["why_no_closed_forms"] = advice.why_no_closed_forms;
  json["decay_s"] = advice.decay_s;
  json["own"] = nullptr;
  if (advice.own) {
    json["own"] = {{"parts", Of(advice, advice.own->parts)},
                   {"linear", Of(advice, advice.own->linear)}};
  }
  json["mean_decay"] =
      PartsOf(advice, advice.mean_decay, [](const PartDecay& part) { return Of(part); });
  json["starts"] = Json::array();
  for (const DecayAdvice& start : advice.starts) json["starts"].push_back(Of(advice, start));
  json["masses"] = Json::array();
  for (const MassAnswer& mass : advice.masses) {
    json["masses"].push_back(
        {{"scale", mass.scale}, {"skip_s", mass.skip_s}, {"parts", Of(advice, mass.parts)}});
  }
  json["largest_factor"] = advice.largest_factor;
  json["safe_factor"] = advice.safe_factor;
  json["largest_delay_s"] = advice.largest_delay_s;
  json["measured_limit"] = advice.measured_limit ? Of(*advice.measured_limit) : Json(nullptr);
  json["settings_from_s"] = advice.settings_from_s;
  json["settings"] = Json::array();
  for (const JudgedSetting& setting : advice.settings) json["settings"].push_back(Of(setting));
  json["text"] = {{"assumptions", Of(text.assumptions)},
                  {"errors", Of(text.errors)},
                  {"costs", Of(text.costs)},
                  {"instead", Of(text.instead)}};
  json["command"] = command;
  json["civita"] = VersionText();
  json["machine"] = DescribeMachine();
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace civita
