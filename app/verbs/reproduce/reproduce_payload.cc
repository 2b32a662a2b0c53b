// The adaptive law estimates the unmodelled load in the hand of scene arm7_excitation: its
// estimates of mass and first moment after 20 s, in both metrics, against the true ones.

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/interrupt.h"
#include "app/report/svg_plot.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "civita/scenes/scene.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace {

constexpr std::array kMetrics = {"log_det", "euclidean"};
constexpr double kPayload = 2;    // kg
constexpr double kHeight = 0.13;  // m, of the load's centre along z of the hand
constexpr double kMassTolerance = 0.02, kMomentTolerance = 0.05;  // relative
constexpr double kSample = 0.02;                                  // s, of the curves

struct Learning {
  std::vector<double> t, mass;  ///< mass: estimated load of the hand, kg
  double moment = NAN;          ///< estimate of its first moment along z at the end, kg·m
  double smallest = 0;          ///< minimum eigenvalue of the hand's pseudo-inertia during the run
};

Learning Learn(const std::string& metric, Reproduction* reproduction) {
  Simulation simulation(LoadScene(ReadConfig(
      "arm7_excitation",
      {"controller={type: adaptive, adapt_bodies: [hand], metric: " + metric + "}",
       "gains={Lambda: 6, K_D: 12, gamma: 0.1}",
       "payload={body: hand, mass_kg: 2, at_s: 0, position_m: [0, 0, 0.13], radius_m: 0.045}"})));
  simulation.set_stop(InterruptGuard::flag());
  const double duration = simulation.scene().config.duration_s;
  const double own = simulation.record().signals[0], own_moment = simulation.record().signals[3];
  const auto smallest = [&simulation] { return simulation.record().signals[4]; };
  Learning out;
  out.smallest = smallest();
  const long steps = std::lround(duration / simulation.control_dt());
  const long sample = std::lround(kSample / simulation.control_dt());
  for (long k = 0; k <= steps; ++k) {
    if (!simulation.Step() || reproduction->ShouldStop(metric)) break;
    out.smallest = std::min(out.smallest, smallest());
    if (k % sample != 0) continue;
    out.t.push_back(simulation.record().t);
    out.mass.push_back(simulation.record().signals[0] - own);
    out.moment = simulation.record().signals[3] - own_moment;
  }
  return out;
}

}  // namespace

void ReproducePayload(Reproduction* reproduction) {
  SvgPlot plot = PlotOverTime("Mass of what the hand holds", "estimate, kg");
  std::vector<std::vector<double>> rows;
  for (const char* metric : kMetrics) {
    const Learning learning = Learn(metric, reproduction);
    const std::string name = std::string(metric) + ": ";
    const double found = learning.mass.empty() ? NAN : learning.mass.back();
    reproduction->ExpectNear(name + "mass after 20 s, kg", kPayload, found,
                             kMassTolerance * kPayload);
    reproduction->ExpectNear(name + "first moment along z after 20 s, kg·m", kPayload * kHeight,
                             learning.moment, kMomentTolerance * kPayload * kHeight);
    reproduction->Record(name + "smallest eigenvalue of the pseudo-inertia, kg·m²",
                         learning.smallest,
                         metric == kMetrics.front() ? "its parameters allow positive ones alone"
                                                    : "a negative one is no rigid body's");
    if (metric == kMetrics.front()) {
      for (const double t : learning.t) rows.push_back({t});
    }
    for (std::size_t k = 0; k < std::min(rows.size(), learning.mass.size()); ++k) {
      rows[k].push_back(learning.mass[k]);
    }
    plot.series.push_back({.label = metric, .x = learning.t, .y = learning.mass});
  }
  reproduction->WriteCsv(".csv", {"t", "log_det", "euclidean"}, rows);
  reproduction->AddFigure(".svg", {.plots = {std::move(plot)}},
                          "Both laws learn the load of 2 kg, of which they know nothing at first; "
                          "log_det keeps every estimate that of a rigid body.");
}

}  // namespace civita
