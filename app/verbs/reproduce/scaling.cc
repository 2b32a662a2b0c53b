#include "app/verbs/reproduce/scaling.h"

#include <array>
#include <cmath>

#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/bench_quantities.h"
#include "base/number_text.h"

namespace civita {
namespace {

constexpr std::array kSizes = {5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 200};

/// log y ≈ intercept + slope·log x by least squares.
struct PowerLaw {
  double slope = 0, intercept = 0;
  double operator()(double x) const { return std::exp(intercept + slope * std::log(x)); }
};

template <typename Value>
PowerLaw Fit(const std::vector<ScalingPoint>& points, int from, int to, Value value) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const ScalingPoint& point : points) {
    if (point.joints < from || point.joints > to) continue;
    const double x = std::log(point.joints), y = std::log(value(point));
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {slope, (sy - slope * sx) / n};
}

constexpr int kLargest = std::numeric_limits<int>::max();

PowerLaw FitTimes(const ScalingSeries& series, int from, int to = kLargest) {
  return Fit(series.points, from, to, [](const ScalingPoint& p) { return p.times.min; });
}

}  // namespace

double ScalingSeries::TimeSlope(int from, int to) const { return FitTimes(*this, from, to).slope; }

double ScalingSeries::FlopSlope(int from) const {
  return Fit(points, from, kLargest, [](const ScalingPoint& p) { return p.flops; }).slope;
}

std::span<const int> ScalingSizes() { return kSizes; }

ScalingSeries MeasureScaling(const std::string& kind, const std::string& quantity, double seconds,
                             const std::function<bool(int)>& go_on) {
  const BenchQuantity<double>& what = FindBenchQuantity(quantity);
  ScalingSeries series{kind, quantity, {}};
  for (int round = 0; round < kScalingRounds; ++round) {
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      const int joints = kSizes[i];
      if (!go_on(joints)) return series;
      const Model model = Build(MakeBenchModel(kind + std::to_string(joints)).value());
      BenchTask<double> task(model);
      const CallTimes times = TimeCalls(seconds / kScalingRounds, [&] { what.Run(task); });
      if (round == 0) {
        series.points.push_back({joints, times, CountOperations(model, quantity).plain});
      } else if (times.min < series.points[i].times.min) {
        series.points[i].times = times;
      }
    }
  }
  return series;
}

SvgPlot PlotScaling(const std::string& title, std::span<const ScalingSeries> series) {
  SvgPlot plot{.title = title,
               .x = {.label = "joints N", .log = true},
               .y = {.label = "time of a call, µs", .log = true}};
  const auto& colors = kLightTheme.series;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const PowerLaw law = FitTimes(series[s], kSlopeFrom);
    const std::string slope = internal::WithDecimals(law.slope, 2);
    SvgSeries points{.label = series[s].kind + ", " + series[s].quantity + ": N^" + slope,
                     .style = SvgSeries::Style::kPoints,
                     .color = colors[s]};
    SvgSeries line{.style = SvgSeries::Style::kDashed, .color = colors[s], .width = 1};
    for (const ScalingPoint& point : series[s].points) {
      points.Add(point.joints, 1e6 * point.times.min);
      if (point.joints < kSlopeFrom) continue;
      line.Add(point.joints, 1e6 * law(point.joints));
    }
    plot.series.push_back(std::move(points));
    plot.series.push_back(std::move(line));
  }
  return plot;
}

}  // namespace civita
