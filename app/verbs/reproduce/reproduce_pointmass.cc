// Figures 4 to 7 of [WES], section IV-A2: a point mass of 1 kg under passivity-based control whose
// model has 0.9 kg, without torsion and with C = −5(v×) and −10(v×). The paper gives curves and no
// initial state; the numbers beside ours are the same equations integrated to 1e-11 by an
// independent program.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "app/report/space_plot.h"
#include "app/report/svg_plot.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"

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
         0.018328,
         1.918155},
    Case{"point_mass_5",
         "C = −5(v×)",
         {0.350875, 0.0279387, 0.00241232},
         0.331607,
         0.135567,
         9.701344,
         3.972181,
         9.731379},
    Case{"point_mass_10",
         "C = −10(v×)",
         {0.350871, 0.0279183, 0.00242105},
         0.331066,
         0.081172,
         9.701155,
         7.913236,
         18.848843},
};

/// The last digit given, the error of a length and a peak sampled at 1 ms, and the relative one of
/// an angle summed at 1 ms.
constexpr double kLastDigit = 1e-6, kSampled = 1e-5, kTurning = 1e-4;

double ValueAt(const RunCurves& traces, const std::vector<double>& values, double t) {
  const auto found = std::lower_bound(traces.t.begin(), traces.t.end(), t - 1e-9);
  return found == traces.t.end() ? NAN : values[static_cast<std::size_t>(found - traces.t.begin())];
}

double Highest(const RunCurves& traces) {
  double highest = 0;
  for (const Eigen::Vector3d& p : traces.ee) highest = std::max(highest, p.z() - traces.ee[0].z());
  return highest;
}

double LargestDeparture(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    largest = std::max(largest, std::abs(a[k] - b[k]));
  }
  return largest;
}

void Check(std::size_t run, const RunsInStep& runs, Reproduction* reproduction) {
  const Case& expected = kCases[run];
  const RunCurves& traces = runs.traces[run];
  const std::string name = std::string(expected.label) + ": ";
  constexpr std::array kMarks = {1.0, 2.0, 5.0};
  for (std::size_t i = 0; i < kMarks.size(); ++i) {
    reproduction->ExpectNear(name + "V(" + FormatValue(kMarks[i]) + " s), J", expected.V[i],
                             ValueAt(traces, traces.V, kMarks[i]), kLastDigit);
  }
  reproduction->ExpectNear(name + "tracking error, RMS, m", expected.error_rms,
                           runs.Value(run, "error_rms"), kLastDigit);
  reproduction->ExpectNear(name + "highest z, m", expected.highest, Highest(traces), kSampled);
  reproduction->ExpectNear(name + "path, m", expected.path, runs.Value(run, "path"), kSampled);
  reproduction->ExpectNear(name + "turning of s in 1 s, rad", expected.turning,
                           ValueAt(traces, traces.twist, 1), kTurning * expected.turning);
  reproduction->ExpectNear(name + "twist in 10 s, rad", expected.twist,
                           runs.Value(run, "twist_rad"), kTurning * expected.twist);
}

SvgSeries Line(const char* label, const std::vector<double>& x, const std::vector<double>& y) {
  SvgSeries series{.label = label};
  for (std::size_t k = 0; k < std::min(x.size(), y.size()); k += 10) {
    series.Add(x[k], y[k]);
  }
  return series;
}

std::vector<double> Component(const std::vector<Eigen::Vector3d>& points, int axis) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Eigen::Vector3d& p : points) values.push_back(p[axis]);
  return values;
}

/// The coordinates q, which are zero at the start.
std::vector<Eigen::Vector3d> Positions(const RunCurves& traces) {
  std::vector<Eigen::Vector3d> q = traces.ee;
  for (Eigen::Vector3d& p : q) p -= traces.ee[0];
  return q;
}

/// The velocity at each point, by central differences; NaN at the ends.
std::vector<Eigen::Vector3d> Velocities(const RunCurves& traces) {
  const std::vector<Eigen::Vector3d>& p = traces.ee;
  std::vector<Eigen::Vector3d> v(p.size(), Eigen::Vector3d::Constant(NAN));
  for (std::size_t k = 1; k + 1 < p.size(); ++k) {
    v[k] = (p[k + 1] - p[k - 1]) / (traces.t[k + 1] - traces.t[k - 1]);
  }
  return v;
}

/// A motion's state over time: position and velocity.
void DrawState(const std::string& title, const RunCurves& traces, SvgFigure* figure) {
  constexpr std::array kPositions = {"x", "y", "z"}, kVelocities = {"v_x", "v_y", "v_z"};
  SvgPlot position = PlotOverTime(title + ", position", "position, m");
  SvgPlot velocity = PlotOverTime(title + ", velocity", "velocity, m/s");
  const std::vector<Eigen::Vector3d> q = Positions(traces), v = Velocities(traces);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto axis = static_cast<int>(i);
    position.series.push_back(Line(kPositions[i], traces.t, Component(q, axis)));
    velocity.series.push_back(Line(kVelocities[i], traces.t, Component(v, axis)));
  }
  figure->plots.push_back(std::move(position));
  figure->plots.push_back(std::move(velocity));
}

/// Figures 4 to 7, in which the paper compares C = 0 and −5(v×); then −10(v×), which it describes
/// in words.
void Draw(const std::vector<RunCurves>& traces, Reproduction* reproduction) {
  SvgFigure figure{.columns = 2, .height = 300};
  DrawState(std::string("Figure 4: ") + kCases[0].label, traces[0], &figure);
  DrawState(std::string("Figure 5: ") + kCases[1].label, traces[1], &figure);
  std::vector<SpaceCurve> paths;
  SvgPlot storage = PlotOverTime("Figure 7: V = ½ sᵀH s", "V, J", true);
  for (std::size_t i = 0; i < 2; ++i) {
    paths.push_back({kCases[i].label, Positions(traces[i])});
    storage.series.push_back(Line(kCases[i].label, traces[i].t, traces[i].V));
  }
  figure.plots.push_back(
      PlotInSpace("Figure 6: the paths and their shadows", {"x, m", "y, m", "z, m"}, paths));
  figure.plots.push_back(std::move(storage));
  DrawState(std::string("Without a figure in the paper: ") + kCases[2].label, traces[2], &figure);
  reproduction->AddFigure(
      ".svg", std::move(figure),
      "In figures 4 to 7 of [WES], section IV-A2, the point mass goes to the line x = t + sin t, "
      "uneventfully without torsion; with C = −5(v×) its motion has higher frequencies and leaves "
      "the plane upwards, away from the target, while V falls alike. The paper prints no number of "
      "these curves; the table's are of an independent integration of the same equations.");
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
  const RunsInStep runs = RunAll(std::move(scenes), reproduction);
  const std::vector<RunCurves>& traces = runs.traces;
  const auto is_empty = [](const RunCurves& curves) { return curves.t.empty(); };
  if (std::ranges::any_of(traces, is_empty)) return;  // interrupted before the first step
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    Check(i, runs, reproduction);
    WriteCurves(kCases[i], traces[i], reproduction);
  }
  for (std::size_t i = 1; i < kCases.size(); ++i) {
    reproduction->ExpectAtMost(
        std::string(kCases[i].label) + ": V, largest departure from that of C = 0, over V(0)",
        LargestDeparture(traces[i].V, traces[0].V) / traces[0].V[0], 0.002);
  }
  Draw(traces, reproduction);
}

}  // namespace civita
