#include <algorithm>
#include <cmath>
#include <utility>

#include "app/report/html.h"
#include "app/report/space_plot.h"
#include "app/report/svg_plot.h"
#include "app/style/axis.h"
#include "app/verbs/compare/compare.h"

namespace civita {
namespace {

constexpr std::size_t kColumns = 1500;  ///< of a curve: enough for a third of it across a page

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
      series.Add(t[static_cast<std::size_t>(at - y.begin())], *at);
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
    series.Add(Seen(points[i]));
  }
  return series;
}

/// Where the runs differ from rest, if that is a small part of them: from the first to the last
/// moment with an error above a share of its peak, of a run without error with that of the storage.
std::pair<double, double> Transient(const VariantComparison& comparison) {
  constexpr double kShare = 0.03, kSmallPart = 0.7;
  double from = HUGE_VAL, to = -HUGE_VAL, end = 0;
  for (const ComparedVariant& variant : comparison.variants) {
    const RunCurves& curves = variant.traces;
    const auto add = [&](const std::vector<double>& values, double share) {
      double peak = 0;
      for (const double value : values) peak = std::fmax(peak, value);
      for (std::size_t k = 0; k < std::min(values.size(), curves.t.size()); ++k) {
        if (!(values[k] > share * peak)) continue;
        from = std::min(from, curves.t[k]);
        to = std::max(to, curves.t[k]);
      }
    };
    add(curves.error, kShare);
    add(curves.V, kShare * kShare);  // goes with the square of an error
    if (!curves.t.empty()) end = std::max(end, curves.t.back());
  }
  const double margin = 0.1 * (to - from);
  from = std::max(0.0, from - margin);
  to = std::min(end, to + margin);
  if (!(to - from < kSmallPart * end && to > from)) return {NAN, NAN};
  const double step = NiceStep(to - from, 10);
  return {step * std::floor(from / step), step * std::ceil(to / step)};
}

SvgPlot Overlay(const VariantComparison& comparison, const char* title, const std::string& unit,
                std::vector<double> RunCurves::*values, bool log = false) {
  SvgPlot plot = PlotOverTime(title, unit, log);
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

/// `transient`: time axes show the transient.
SvgFigure PlotComparison(const VariantComparison& comparison, bool transient) {
  SvgFigure figure{.columns = 2, .height = 280, .legend = true};
  const auto add = [&](const char* title, const std::string& unit,
                       std::vector<double> RunCurves::*values, bool log = false) {
    figure.plots.push_back(Overlay(comparison, title, unit, values, log));
  };
  add("Tracking error ‖e‖", UnitOf(comparison, "error_rms"), &RunCurves::error);
  add("Storage V", "J", &RunCurves::V, true);
  add("Velocity error ‖s‖", comparison.velocity_unit, &RunCurves::s, true);
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
  if (!transient) return figure;
  const auto [from, to] = Transient(comparison);
  for (SvgPlot& plot : figure.plots) {
    if (plot.picture) continue;
    plot.x.lo = from;
    plot.x.hi = to;
  }
  return figure;
}

/// What the table's reader needs to know.
std::string TableNote(const VariantComparison& comparison) {
  std::string note = "In bold what is apart by more than a fifth";
  const std::size_t runs = comparison.variants.front().runs.size();
  if (runs > 1) {
    note += "; means of " + std::to_string(runs) +
            " runs, those aside that failed or fell, with 95 % confidence intervals";
  }
  note += ".";
  for (const std::string& absent : {AbsentMetrics(comparison), AbsentPrediction(comparison)}) {
    if (!absent.empty()) note += " " + absent;
  }
  const auto mixed = [](const MetricInfo& info) {
    return info.unit.find(", ") != std::string::npos;
  };
  const auto found = std::ranges::find_if(comparison.metrics, mixed);
  if (found != comparison.metrics.end()) {
    note += " Units such as “" + found->unit +
            "” are of norms over hinges and slides together, each joint in its own unit.";
  }
  return "<p class=\"muted\">" + EscapeXml(note) + "</p>\n";
}

std::string Configs(const VariantComparison& comparison) {
  std::string html;
  for (const ComparedVariant& variant : comparison.variants) {
    html += "<details><summary>" + EscapeXml(variant.name) + "</summary><pre>" +
            EscapeXml(variant.config) + "</pre></details>\n";
  }
  return html;
}

std::string Definitions(const VariantComparison& comparison) {
  std::string html = "<ul>\n";
  std::string last;
  for (const MetricInfo& info : comparison.metrics) {
    if (info.key == last) continue;  // V at another mark
    last = info.key;
    html += "<li>" + EscapeXml(info.label) + ": " + EscapeXml(info.doc) + "</li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string FormatPlots(const VariantComparison& comparison) {
  return FormatSvg(PlotComparison(comparison, false));
}

std::string FormatHtml(const VariantComparison& comparison) {
  std::string html = "<p class=\"lead\">" + EscapeXml(Summarize(comparison)) + "</p>\n";
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.is_whole()) continue;
    html += "<p class=\"failed\">" + EscapeXml(variant.name + " " + variant.verdict()) + "</p>\n";
  }
  if (comparison.interrupted) html += "<p class=\"failed\">Interrupted before the end.</p>\n";
  html += "<p class=\"muted\">" + EscapeXml(DescribeRuns(comparison)) + "</p>\n";
  html += "<div class=\"beside\">\n<div>\n<h2>Figures</h2>\n" + ToHtml(FiguresTable(comparison)) +
          TableNote(comparison) + "</div>\n<div>\n<h2>Curves</h2>\n" +
          FormatHtmlFigure(PlotComparison(comparison, true)) + "</div>\n</div>\n";
  html += "<h2>What the figures are</h2>\n<details><summary>Definitions</summary>\n" +
          Definitions(comparison) + "</details>\n";
  html += "<h2>Resolved configs</h2>\n" + Configs(comparison);
  html += "<h2>Again</h2>\n<pre>" + EscapeXml(comparison.command) + "</pre>\n";
  return HtmlPage(comparison.title + ", compared", html);
}

}  // namespace civita
