// Figures 4 to 7 of [WES], section V: a point mass of 1 kg under passivity-based control whose
// model has 0.9 kg, without torsion and with C = −5(v×) and −10(v×). The paper gives curves; the
// numbers beside ours are the same equations integrated to 1e-11 by an independent program.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "app/report/svg_plot.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "civita/sim/trials/compare_runs.h"

namespace civita {
namespace {

struct Case {
  const char* scene;
  const char* label;
  std::array<double, 3> V;  ///< at 1, 2 and 5 s, J
  double error_rms, highest, path;
  double turning, twist;  ///< of s in the first second and in total, rad
};

constexpr std::array kCases = {
    Case{"point_mass",
         "C = 0",
         {0.348642, 0.0282247, 0.00234061},
         0.350065,
         0,
         9.698138,
         0.018,
         1.918},
    Case{"point_mass_5",
         "C = −5(v×)",
         {0.350875, 0.0279387, 0.00241232},
         0.331607,
         0.135567,
         9.701344,
         3.97,
         9.731},
    Case{"point_mass_10",
         "C = −10(v×)",
         {0.350871, 0.0279183, 0.00242105},
         0.331066,
         0.081172,
         9.701155,
         7.91,
         18.849},
};

/// The last digit given, and the error of a length and a peak sampled at 1 ms.
constexpr double kLastDigit = 1e-6, kSampled = 1e-5, kTurning = 6e-3;

double ValueAt(const RunCurves& traces, const std::vector<double>& values, double t) {
  const auto found = std::lower_bound(traces.t.begin(), traces.t.end(), t - 1e-9);
  return found == traces.t.end() ? NAN : values[static_cast<std::size_t>(found - traces.t.begin())];
}

double Highest(const RunCurves& traces) {
  double highest = 0;
  for (const Eigen::Vector3d& p : traces.ee) highest = std::max(highest, p.z() - traces.ee[0].z());
  return highest;
}

void Check(const Case& expected, const std::vector<MetricInfo>& metrics, const ComparedRun& run,
           const RunCurves& traces, Reproduction* reproduction) {
  const auto value = [&](const char* key) {
    const auto same = [key](const MetricInfo& info) { return info.key == key; };
    const auto found = std::find_if(metrics.begin(), metrics.end(), same);
    return run.values[static_cast<std::size_t>(found - metrics.begin())];
  };
  const std::string name = std::string(expected.label) + ": ";
  constexpr std::array kMarks = {1.0, 2.0, 5.0};
  for (std::size_t i = 0; i < kMarks.size(); ++i) {
    reproduction->ExpectNear(name + "V(" + FormatValue(kMarks[i]) + " s), J", expected.V[i],
                             ValueAt(traces, traces.V, kMarks[i]), kLastDigit);
  }
  reproduction->ExpectNear(name + "tracking error, RMS, m", expected.error_rms, value("error_rms"),
                           kLastDigit);
  reproduction->ExpectNear(name + "highest z, m", expected.highest, Highest(traces), kSampled);
  reproduction->ExpectNear(name + "path, m", expected.path, value("path"), kSampled);
  reproduction->ExpectNear(name + "turning of s in 1 s, rad", expected.turning,
                           ValueAt(traces, traces.twist, 1), kTurning);
  reproduction->ExpectNear(name + "twist in 10 s, rad", expected.twist, value("twist_rad"),
                           kTurning);
}

SvgSeries Line(const char* label, const std::vector<double>& x, const std::vector<double>& y) {
  SvgSeries series{.label = label};
  for (std::size_t k = 0; k < std::min(x.size(), y.size()); k += 10) {
    series.x.push_back(x[k]);
    series.y.push_back(y[k]);
  }
  return series;
}

std::vector<double> Component(const std::vector<Eigen::Vector3d>& points, int axis) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Eigen::Vector3d& p : points) values.push_back(p[axis] - points[0][axis]);
  return values;
}

/// Figures 4 and 5 show one motion each, 6 and 7 all of them.
void Draw(const std::vector<RunCurves>& traces, Reproduction* reproduction) {
  SvgFigure figure{.columns = 2, .height = 300};
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    SvgPlot plot{.title = std::string(i == 0 ? "Figure 4: " : "Figure 5: ") + kCases[i].label,
                 .x = {.label = "time, s"},
                 .y = {.label = "position off the reference, m"},
                 .series = {}};
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<double> off = Component(traces[i].ee, axis);
      const std::vector<double> wanted = Component(traces[i].ee_reference, axis);
      for (std::size_t k = 0; k < off.size(); ++k) off[k] -= wanted[k];
      constexpr std::array kNames = {"x", "y", "z"};
      plot.series.push_back(Line(kNames[static_cast<std::size_t>(axis)], traces[i].t, off));
    }
    figure.plots.push_back(std::move(plot));
  }
  SvgPlot side{.title = "Figure 6: seen along the line",
               .x = {.label = "y, m"},
               .y = {.label = "z, m"},
               .series = {}};
  SvgPlot storage{.title = "Figure 7: V = ½ sᵀH s",
                  .x = {.label = "time, s"},
                  .y = {.label = "V, J", .log = true},
                  .series = {}};
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    side.series.push_back(
        Line(kCases[i].label, Component(traces[i].ee, 1), Component(traces[i].ee, 2)));
    storage.series.push_back(Line(kCases[i].label, traces[i].t, traces[i].V));
  }
  figure.plots.push_back(std::move(side));
  figure.plots.push_back(std::move(storage));
  reproduction->WriteText(".svg", FormatSvg(figure));
}

void WriteCurves(const Case& of, const RunCurves& traces, Reproduction* reproduction) {
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < traces.t.size(); ++k) {
    const Eigen::Vector3d p = traces.ee[k] - traces.ee[0];
    rows.push_back({traces.t[k], p.x(), p.y(), p.z(), traces.error[k], traces.V[k],
                    traces.torque[k], traces.twist[k]});
  }
  reproduction->WriteCsv("_" + std::string(of.scene) + ".csv",
                         {"t", "x", "y", "z", "error", "V", "force", "twist"}, rows);
}

}  // namespace

void ReproducePointMass(Reproduction* reproduction) {
  std::vector<std::unique_ptr<Scene>> scenes;
  scenes.reserve(kCases.size());
  for (const Case& one : kCases) scenes.push_back(LoadScene(ReadConfig(one.scene)));
  const std::vector<MetricInfo> metrics = CompareMetrics(*scenes.front());
  std::vector<RunCurves> traces(kCases.size());
  const auto go_on = [reproduction](double t) {
    return !reproduction->ShouldStop("t = " + FormatValue(t) + " s");
  };
  const std::vector<ComparedRun> runs = RunInStep(std::move(scenes), go_on, &traces);
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    Check(kCases[i], metrics, runs[i], traces[i], reproduction);
    WriteCurves(kCases[i], traces[i], reproduction);
  }
  Draw(traces, reproduction);
}

}  // namespace civita
