#include <nlohmann/json.hpp>

#include "civita/build_info.h"
#include "civita/study/survive/survival.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

Json DescribeRow(const SurvivalRow& row) {
  Json trials = Json::array();
  for (const SurvivalTrial& trial : row.trials) {
    Json& json = trials.emplace_back();
    for (const auto& [name, value] : FiguresOf(trial, row.gait)) {
      std::visit([&of = json[name]](const auto& x) { of = x; }, value);
    }
  }
  const Interval interval = row.interval();
  return {{"scene", row.scene},
          {"variant", row.variant},
          {"gait", row.gait},
          {"may_step", row.may_step},
          {"push", {{row.push.absolute ? "impulse_Ns" : "share_of_ceiling", row.push.amount}}},
          {"n", row.trials.size()},
          {"survived", row.num_survived()},
          {"interval", {interval.low, interval.high}},
          {"fell", row.num_fallen()},
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
