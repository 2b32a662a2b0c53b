#include <nlohmann/json.hpp>

#include "civita/build_info.h"
#include "civita/study/survive/survival.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

Json DescribeTrial(const SurvivalTrial& t, bool gait) {
  Json json = {{"seed", t.seed},
               {"friction", t.friction},
               {"direction_rad", t.direction},
               {"start_s", t.start_s},
               {"impulse_Ns", t.impulse},
               {"ceiling_Ns", t.ceiling},
               {"survived", t.survived},
               {"fell", t.fell},
               {"verdict", t.verdict},
               {"end_s", t.end_s},
               {"steps", t.steps},
               {"feet_moved_m", t.moved},
               {"farthest_foot_m", t.farthest_foot},
               {"foot_off_m", t.foot_off},
               {"peak_tilt_rad", t.tilt_peak},
               {"unmet_force_N", t.unmet_force},
               {"unmet_moment_Nm", t.unmet_moment},
               {"qp_fallbacks", t.qp_fallbacks}};
  if (t.fell) return json;
  if (gait) {
    json["velocity_error_mps"] = t.velocity_error;
    json["tilt_rms_rad"] = t.tilt_rms;
  } else {
    json["error_m"] = t.error;
    json["speed_mps"] = t.speed;
    json["tilt_rad"] = t.tilt;
  }
  return json;
}

Json DescribeRow(const SurvivalRow& row) {
  long survived = 0, fell = 0;
  Json trials = Json::array();
  for (const SurvivalTrial& trial : row.trials) {
    survived += trial.survived ? 1 : 0;
    fell += trial.fell ? 1 : 0;
    trials.push_back(DescribeTrial(trial, row.gait));
  }
  const auto n = static_cast<long>(row.trials.size());
  const Interval interval = WilsonInterval(survived, n);
  return {{"scene", row.scene},
          {"variant", row.variant},
          {"gait", row.gait},
          {"may_step", row.may_step},
          {"push", {{row.push.absolute ? "impulse_Ns" : "share_of_ceiling", row.push.amount}}},
          {"n", n},
          {"survived", survived},
          {"interval", {interval.low, interval.high}},
          {"fell", fell},
          {"trials", trials},
          {"config", row.config}};
}

}  // namespace

std::string FormatSurvivalJson(const SurvivalTable& table) {
  Json json;
  json["versions"] = {{"civita", kVersion}, {"source", kGitDescribe}};
  json["trials"] = table.trials;
  json["seed"] = table.seed;
  json["interrupted"] = table.interrupted;
  json["rows"] = Json::array();
  for (const SurvivalRow& row : table.rows) json["rows"].push_back(DescribeRow(row));
  return json.dump(2) + "\n";
}

}  // namespace civita
