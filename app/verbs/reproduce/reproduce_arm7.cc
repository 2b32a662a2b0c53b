// The point-mass example ([WES], section IV-A2) on a seven-joint arm, scene arm7_twist: V agrees to
// many digits for every factorization, while s turns as its contorsion K predicts, and not at all
// without torsion. Sampling adds an error that decreases with the period.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "app/report/svg_plot.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"

namespace civita {
namespace {

constexpr std::array kFactorizations = {"christoffel", "t:1", "t:-1", "t:5", "t:-10"};

/// `overrides` by name and value; the first `count` of kFactorizations.
RunsInStep Run(std::size_t count, const std::vector<std::string>& overrides,
               Reproduction* reproduction) {
  std::vector<std::unique_ptr<Scene>> scenes;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> all = overrides;
    all.push_back(std::string("controller.factorization=") + kFactorizations[i]);
    scenes.push_back(LoadScene(ReadConfig("arm7_twist", all)));
  }
  return RunAll(std::move(scenes), reproduction);
}

/// Maximum relative difference of V(t) from the first run's, while V is significant.
double StorageGap(const RunsInStep& runs) {
  double gap = 0;
  const std::vector<double>& V = runs.traces[0].V;
  for (const RunCurves& traces : runs.traces) {
    for (std::size_t k = 0; k < std::min(V.size(), traces.V.size()); ++k) {
      if (V[k] > 1e-4 * V[0]) gap = std::max(gap, std::abs(traces.V[k] - V[k]) / V[k]);
    }
  }
  return gap;
}

void Draw(const RunsInStep& runs, Reproduction* reproduction) {
  SvgFigure figure{.columns = 2, .height = 300, .legend = true};
  const auto add = [&](const char* title, const char* unit, std::vector<double> RunCurves::*values,
                       bool log) {
    SvgPlot plot = PlotOverTime(title, unit, log);
    for (std::size_t i = 0; i < runs.traces.size(); ++i) {
      plot.series.push_back(
          {.label = kFactorizations[i], .x = runs.traces[i].t, .y = runs.traces[i].*values});
    }
    figure.plots.push_back(std::move(plot));
  };
  add("V = ½ sᵀH s: alike", "J", &RunCurves::V, true);
  add("Twist: turning of s", "rad", &RunCurves::twist, false);
  add("Torque rate ‖Δτ/dt‖", "N·m/s", &RunCurves::torque_rate, true);
  add("Tracking error ‖e‖", "rad", &RunCurves::error, false);
  reproduction->AddFigure(
      ".svg", std::move(figure),
      "The paper's point mass, on an arm: V is the same curve for every C, so that one hides the "
      "others, while s turns as far as the torsion of each C says.");
}

void WriteCurves(const RunsInStep& runs, Reproduction* reproduction) {
  std::vector<std::string> columns = {"t"};
  for (const char* name : kFactorizations) {
    for (const char* what : {"V ", "twist ", "torque_rate "}) {
      columns.push_back(what + std::string(name));
    }
  }
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < runs.traces[0].t.size(); ++k) {
    std::vector<double>& row = rows.emplace_back();
    row.push_back(runs.traces[0].t[k]);
    for (const RunCurves& traces : runs.traces) {
      const bool there = k < traces.t.size();
      row.push_back(there ? traces.V[k] : NAN);
      row.push_back(there ? traces.twist[k] : NAN);
      row.push_back(there ? traces.torque_rate[k] : NAN);
    }
  }
  reproduction->WriteCsv(".csv", columns, rows);
}

}  // namespace

void ReproduceArm7(Reproduction* reproduction) {
  const RunsInStep runs = Run(kFactorizations.size(), {}, reproduction);
  const double none = runs.Value(0, "twist_rad");
  reproduction->ExpectAtMost("V, largest relative departure from christoffel's", StorageGap(runs),
                             1e-5);
  reproduction->ExpectAtMost("christoffel: twist, rad", 0, none, 1e-5);
  for (std::size_t i = 1; i < kFactorizations.size(); ++i) {
    const std::string name = kFactorizations[i];
    const double ideal = runs.Value(i, "ideal_turning_rad"), twist = runs.Value(i, "twist_rad");
    reproduction->ExpectNear(name + ": twist, rad", {ideal, "ideal turning"}, twist, 0.001 * ideal);
    reproduction->ExpectAtLeast(name + ": twist over christoffel's", twist / none, 1e4);
  }
  for (std::size_t i = 0; i < kFactorizations.size(); ++i) {
    reproduction->Record(std::string(kFactorizations[i]) + ": torque rate, N·m/s",
                         runs.Value(i, "torque_rate"));
  }
  reproduction->ExpectAtLeast(
      "t:-10: torque rate over christoffel's",
      runs.Value(kFactorizations.size() - 1, "torque_rate") / runs.Value(0, "torque_rate"), 1.2);
  WriteCurves(runs, reproduction);
  Draw(runs, reproduction);

  const double finer = Run(1, {"physics.timestep_s=0.0005"}, reproduction).Value(0, "twist_rad");
  // the error of order dt²
  reproduction->ExpectNear("christoffel: twist over that with half the step", 4, none / finer,
                           0.02);
  for (const auto& [timestep, rate, apart] :
       {std::tuple("0.001", "1000", 10.0), std::tuple("0.00025", "4000", 50.0)}) {
    const RunsInStep held = Run(2,
                                {"control.mode=held", "physics.timestep_s=" + std::string(timestep),
                                 "control.rate_hz=" + std::string(rate)},
                                reproduction);
    reproduction->ExpectAtLeast(
        "held at " + std::string(rate) + " Hz: twist of t:1 over christoffel's",
        held.Value(1, "twist_rad") / held.Value(0, "twist_rad"), apart);
  }
}

}  // namespace civita
