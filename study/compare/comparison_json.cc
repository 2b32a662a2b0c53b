#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "civita/build_info.h"
#include "civita/sim/metrics.h"
#include "civita/sim/run_json.h"
#include "civita/study/compare/comparison.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

/// {"error_rms": …, "V_at": {"0.1": …}, …} with the values that `value(metric)` gives.
template <typename Value>
Json ByMetric(const VariantComparison& comparison, Value value) {
  Json json = Json::object();
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    const MetricInfo& info = comparison.metrics[i];
    if (!info.mark_s) {
      json[info.key] = value(i);
      continue;
    }
    json[info.key][internal::ExactNumber(*info.mark_s)] = value(i);
  }
  return json;
}

Json DescribeVariant(const VariantComparison& comparison, const ComparedVariant& variant) {
  Json json;
  json["name"] = variant.name;
  json["settings"] = Json::object();
  for (const auto& [key, value] : variant.settings) json["settings"][key] = value;
  json["passed"] = variant.passed();
  json["verdict"] = variant.verdict();
  json["status"] = variant.status();
  json["metrics"] =
      ByMetric(comparison, [&](std::size_t i) { return EstimateMetric(variant, i).mean; });
  const double predicted = EstimatePrediction(variant).mean;
  json["predicted"] = {{"error_rms", predicted}};
  for (const PredictedError& each : variant.predicted) {
    if (!each.why_not.empty()) json["predicted"]["why_not"] = each.why_not;
  }
  if (variant.runs.size() < 2) return json;
  json["intervals"] = ByMetric(comparison, [&](std::size_t i) -> Json {
    const Estimate estimate = EstimateMetric(variant, i);
    return Json::array({estimate.mean - estimate.half, estimate.mean + estimate.half});
  });
  json["runs"] = Json::array();
  for (const ComparedRun& run : variant.runs) {
    json["runs"].push_back({{"seed", run.seed},
                            {"start", run.start},
                            {"passed", run.passed},
                            {"verdict", run.verdict},
                            {"status", run.status_word()},
                            {"t_end_s", run.end_s},
                            {"metrics", ByMetric(comparison, [&](std::size_t i) {
                               return run.is_whole() ? run.values[i] : kNaN;
                             })}});
  }
  return json;
}

}  // namespace

std::string FormatJson(const VariantComparison& comparison) {
  Json json;
  json["scene"] = comparison.scene;
  json["variants"] = Json::array();
  for (const ComparedVariant& variant : comparison.variants) {
    json["variants"].push_back(DescribeVariant(comparison, variant));
  }
  json["units"] = Json::object();
  for (const MetricInfo& info : comparison.metrics) json["units"][info.key] = info.unit;
  if (!comparison.why_no_prediction.empty()) {
    json["why_no_prediction"] = comparison.why_no_prediction;
  }
  json["summary"] = Summarize(comparison);
  json["text"] = DescribeRuns(comparison);
  json["command"] = comparison.command;
  json["duration_s"] = comparison.duration_s;
  json["interrupted"] = comparison.interrupted;
  json["wall_s"] = comparison.wall_s;
  if (!comparison.files.empty()) json["files"] = comparison.files;
  json["civita"] = VersionText();
  json["machine"] = DescribeMachine();
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace civita
