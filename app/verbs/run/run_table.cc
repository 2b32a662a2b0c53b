#include "app/verbs/run/run_table.h"

#include <cmath>

#include "base/number_text.h"
#include "civita/factorization_text.h"
#include "civita/study/table.h"

namespace civita {
namespace {

using internal::General;

/// Heading: "arm7 · slotine_li, christoffel · held, 1 ms, 10001 steps".
std::string Head(const Simulation& simulation, const RunSummary& summary) {
  const SceneConfig& config = simulation.scene().config;
  const Controller& controller = simulation.controller();
  std::string text = config.name + " · " + std::string(controller.info().type);
  if (controller.info().uses_factorization) {
    text += ", " + WithBothNames(ToString(controller.factorization()));
  }
  text += config.mode == ControlMode::kHeld ? " · held" : " · at every stage";
  text += ", " + General(1e3 * summary.dt_s) + " ms, " + std::to_string(summary.steps) + " steps";
  if (summary.fell()) text += summary.fall->freely ? " · fell freely" : " · fell";
  return text + "\n";
}

}  // namespace

std::string FormatSummary(const Simulation& simulation, const RunSummary& summary,
                          const std::string& files) {
  Table table;
  table.columns = {{.is_text = true}};
  for (std::size_t i = 0; i < summary.metrics.size(); ++i) {
    const MetricInfo& info = summary.metrics[i];
    if (!std::isfinite(summary.values[i])) continue;
    table.AddRow(info.label,
                 {FormatValue(summary.values[i]) + (info.unit.empty() ? "" : " " + info.unit)});
  }
  table.AddRow("real time",
               {General(summary.real_time_factor, 3) + "× (" + General(summary.simulated_s, 4) +
                " s in " + General(summary.wall_s, 3) + " s)"});
  if (summary.mujoco_warnings > 0) {
    table.AddRow("warnings of MuJoCo", {std::to_string(summary.mujoco_warnings)});
  }
  table.AddRow("hash", {summary.hash});
  if (!files.empty()) table.AddRow("files", {files});
  return Head(simulation, summary) + ToTerminal(table) + "  " + summary.verdict + "\n";
}

std::string RunCost::Follow(double t, double elapsed_s) {
  constexpr double kSoon = 2, kShort = 20, kSlow = 0.25;  // s, s, of real time
  if (is_done_ || elapsed_s < kSoon || !(t > 0)) return "";
  is_done_ = true;
  const double whole = elapsed_s / t * duration_s_;
  if (whole < kShort || t / elapsed_s > kSlow) return "";
  return "the first " + internal::General(t, 2) + " s took " + RoughDuration(elapsed_s) +
         ": the whole run will take about " + RoughDuration(whole);
}

std::string RoughDuration(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
  };
  Unit unit{1, " s"};
  for (const Unit& larger : {Unit{60, " min"}, Unit{3600, " h"}, Unit{86400, " days"}}) {
    if (seconds >= 2 * larger.seconds) unit = larger;
  }
  return internal::WithDecimals(seconds / unit.seconds, 0) + unit.name;
}

}  // namespace civita
