#include <algorithm>
#include <cmath>

#include "app/report/svg_plot.h"
#include "app/report/view.h"
#include "app/verbs/compare/comparison.h"

namespace civita {
namespace {

constexpr std::size_t kColumns = 500;  ///< of a curve: about its width in pixels

/// The minimum and maximum of each of kColumns intervals in order of time, so that no peak is
/// lost.
SvgSeries Curve(const ComparedVariant& variant, const std::vector<double>& y) {
  SvgSeries series{.label = variant.name};
  const std::vector<double>& t = variant.traces.t;
  const std::size_t n = std::min(t.size(), y.size());
  const std::size_t stretch = std::max<std::size_t>(1, n / kColumns);
  for (std::size_t begin = 0; begin < n; begin += stretch) {
    const auto first = y.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = y.begin() + static_cast<std::ptrdiff_t>(std::min(begin + stretch, n));
    const auto [low, high] = std::minmax_element(first, last);
    for (const auto& at : {std::min(low, high), std::max(low, high)}) {
      series.x.push_back(t[static_cast<std::size_t>(at - y.begin())]);
      series.y.push_back(*at);
      if (low == high) break;
    }
  }
  return series;
}

/// A path in front, right and top view.
SvgSeries Path(const std::string& name, const std::vector<Eigen::Vector3d>& points) {
  SvgSeries series{.label = name};
  const std::size_t stretch = std::max<std::size_t>(1, points.size() / (4 * kColumns));
  for (std::size_t i = 0; i < points.size(); i += stretch) {
    const Eigen::Vector2d seen = Seen(points[i]);
    series.x.push_back(seen.x());
    series.y.push_back(seen.y());
  }
  return series;
}

SvgPlot Overlay(const VariantComparison& comparison, const char* title, const std::string& unit,
                std::vector<double> RunCurves::*values, bool log = false) {
  SvgPlot plot{
      .title = title, .x = {.label = "time, s"}, .y = {.label = unit, .log = log}, .series = {}};
  for (const ComparedVariant& variant : comparison.variants) {
    plot.series.push_back(Curve(variant, variant.traces.*values));
  }
  return plot;
}

std::string UnitOf(const VariantComparison& comparison, const char* key) {
  for (const MetricInfo& info : comparison.metrics) {
    if (info.key == key) return info.unit;
  }
  return "";
}

}  // namespace

std::string FormatPlots(const VariantComparison& comparison) {
  SvgFigure figure{.columns = 2, .height = 280, .legend = true};
  const auto add = [&](const char* title, const std::string& unit,
                       std::vector<double> RunCurves::*values, bool log = false) {
    figure.plots.push_back(Overlay(comparison, title, unit, values, log));
  };
  add("Tracking error ‖e‖", UnitOf(comparison, "error_rms"), &RunCurves::error);
  add("Storage V", "J", &RunCurves::V, true);
  add("Velocity error ‖s‖", "", &RunCurves::s, true);
  add("Twist: turning of s against parallel transport", "rad", &RunCurves::twist);
  add("Torque ‖τ‖", UnitOf(comparison, "torque_rms"), &RunCurves::torque);
  add("Torque rate ‖Δτ/dt‖", UnitOf(comparison, "torque_rate"), &RunCurves::torque_rate, true);
  add("Energy balance V − V(0) + ∫(P − P_ext) dt", "J", &RunCurves::energy_balance);
  SvgPlot path{.title = "Path of the end effector", .series = {}, .picture = true};
  for (const ComparedVariant& variant : comparison.variants) {
    path.series.push_back(Path(variant.name, variant.traces.ee));
  }
  SvgSeries reference = Path("reference", comparison.variants.front().traces.ee_reference);
  reference.style = SvgSeries::Style::kDashed;
  reference.color = kLightTheme.reference;
  reference.width = 1.2;
  path.series.push_back(std::move(reference));
  figure.plots.push_back(std::move(path));
  return FormatSvg(figure);
}

}  // namespace civita
