#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/bench_quantities.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "app/verbs/reproduce/scaling.h"
#include "base/number_text.h"

// Figures 2 to 4 of [EW]: times of algorithms 1 and 2 over the number of joints. The growth of the
// operation counts is compared with the theory, and the slopes of the times with the paper's, where
// costs per call and per body, and beyond N³ numbers the caches, leave a tolerance.

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

constexpr double kSeconds = 0.05;
constexpr int kSymbolsTo = 112;  // the largest chain whose Γ fits the second-level cache

/// C+H and Γ of each kind, Γ in packed form, since the N³ numbers of the dense form exceed the
/// caches and are mostly zero for a tree. @returns false when stopped.
bool MeasureKinds(Reproduction* reproduction, const std::vector<std::string>& kinds,
                  std::vector<ScalingSeries>* all) {
  for (const std::string& kind : kinds) {
    for (const std::string quantity : {"C+H", "Gamma packed"}) {
      bool stopped = false;
      all->push_back(MeasureScaling(kind, quantity, kSeconds, [&](int joints) {
        stopped = reproduction->ShouldStop(
            std::string(kind).append(std::to_string(joints)).append(", ") + quantity);
        return !stopped;
      }));
      if (stopped) return false;
    }
  }
  return true;
}

void WriteFiles(Reproduction* reproduction, const std::string& title,
                const std::vector<ScalingSeries>& all, std::string caption) {
  reproduction->AddFigure(".svg", {.plots = {PlotScaling(title, all)}}, std::move(caption));
  std::vector<std::string> columns = {"joints"};
  std::vector<std::vector<double>> rows;
  for (const int joints : ScalingSizes()) rows.push_back({static_cast<double>(joints)});
  for (const ScalingSeries& series : all) {
    const std::string name = series.kind + (series.quantity == "C+H" ? "_C" : "_Gamma");
    columns.insert(columns.end(), {name + "_min_us", name + "_median_us", name + "_flops"});
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const ScalingPoint& point = series.points[i];
      rows[i].insert(rows[i].end(), {1e6 * point.times.min, 1e6 * point.times.median, point.flops});
    }
  }
  reproduction->WriteCsv(".csv", columns, rows);
}

/// The difference of order `degree` + 1 of the operation count of a chain, which is zero for a
/// polynomial in N of that degree.
double DifferenceBeyond(const std::string& quantity, int degree) {
  std::vector<double> values;
  for (int n = 10; n <= 10 * (degree + 2); n += 10) {
    const Model chain = FindModel("chain" + std::to_string(n)).model;
    values.push_back(CountOperations(chain, quantity).plain);
  }
  for (int order = 0; order <= degree; ++order) {
    for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = values[i + 1] - values[i];
    values.pop_back();
  }
  return std::abs(values.front());
}

/// The geometric mean of the ratio over all sizes.
double MeanRatio(const ScalingSeries& above, const ScalingSeries& below,
                 double (*value)(const ScalingPoint&)) {
  double sum = 0;
  for (std::size_t i = 0; i < above.points.size(); ++i) {
    sum += std::log(value(above.points[i]) / value(below.points[i]));
  }
  return std::exp(sum / static_cast<double>(above.points.size()));
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

void ReproduceFigure2(Reproduction* reproduction) {
  std::vector<ScalingSeries> all;
  const bool complete = MeasureKinds(reproduction, {"chain"}, &all);
  WriteFiles(reproduction, "Serial chains", all,
             "Figure 2 of [EW]: the time of C grows as N², that of Γ as N³; of 20 joints 18 µs and "
             "122 µs on an Intel i7 at 3.2 GHz (its table 1).");
  if (!complete) return;
  reproduction->ExpectNear("C: operations beyond a polynomial of degree 2", 0,
                           DifferenceBeyond("C+H", 2), 0);
  reproduction->ExpectNear("Γ: operations beyond a polynomial of degree 3", 0,
                           DifferenceBeyond("Gamma", 3), 0);
  reproduction->ExpectTimes("C: slope of the time", 2, all[0].TimeSlope(kSlopeFrom), 1.6, 2.4);
  reproduction->ExpectTimes("Γ: slope of the time to 112 joints", 3,
                            all[1].TimeSlope(kSlopeFrom, kSymbolsTo), 2.6, 3.4);
  reproduction->Record("Γ: slope of the time to 200 joints", all[1].TimeSlope(kSlopeFrom),
                       "Γ of the largest chains exceeds the caches");
}

void ReproduceFigure3(Reproduction* reproduction) {
  std::vector<ScalingSeries> all;
  const bool complete = MeasureKinds(reproduction, {"tree"}, &all);
  WriteFiles(
      reproduction, "Binary trees", all,
      "Figure 3 of [EW]: of trees the times grow faster than N and slower than N², in theory "
      "as N log N and N (log N)²; of 20 joints 10 µs and 33 µs (its table 1).");
  if (!complete) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = i == 0 ? "C" : "Γ";
    reproduction->ExpectBetween(name + ": slope of the operations", all[i].FlopSlope(kSlopeFrom), 1,
                                i == 0 ? 1.3 : 1.6);
    // the paper's words: above O(N), below O(N²)
    reproduction->ExpectTimes(name + ": slope of the time", std::nullopt,
                              all[i].TimeSlope(kSlopeFrom), 1, 2);
  }
}

void ReproduceFigure4(Reproduction* reproduction) {
  std::vector<ScalingSeries> all;
  const bool complete = MeasureKinds(reproduction, {"biped", "quadruped"}, &all);
  WriteFiles(reproduction, "Floating mechanisms with legs", all,
             "Figure 4 of [EW]: with as many joints, four legs take less time than two: of 20 "
             "joints 10 µs to 13 µs for C and 37 µs to 64 µs for Γ (its table 1).");
  if (!complete) return;
  const auto flops = [](const ScalingPoint& point) { return point.flops; };
  const auto time = [](const ScalingPoint& point) { return point.times.min; };
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = i == 0 ? "C" : "Γ";
    reproduction->ExpectAtLeast(name + ": operations, biped over quadruped",
                                MeanRatio(all[i], all[i + 2], flops), i == 0 ? 1.1 : 1.5);
    reproduction->ExpectTimes(name + ": time, biped over quadruped", std::nullopt,
                              MeanRatio(all[i], all[i + 2], time), i == 0 ? 1 : 1.3);
  }
}

}  // namespace civita
