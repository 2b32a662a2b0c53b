#include <cmath>
#include <string>
#include <vector>

#include "app/verbs/bench/operation_counts.h"
#include "app/verbs/bench/scaling.h"
#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"

// Figures 2 to 4 of [EW]: times of algorithms 1 and 2 over the number of joints. The growth of the
// operation counts is compared with the theory; the tolerances on the slopes of the times allow
// for caches and a busy machine.

namespace civita {
namespace {

constexpr double kSeconds = 0.03;

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
                const std::vector<ScalingSeries>& all) {
  reproduction->WriteText(".svg", FormatSvg({.plots = {PlotScaling(title, all)}}));
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
    values.push_back(CountOperations("chain" + std::to_string(n), quantity).plain);
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

void ReproduceFigure2(Reproduction* reproduction) {
  RequireOperationCounter();
  std::vector<ScalingSeries> all;
  const bool complete = MeasureKinds(reproduction, {"chain"}, &all);
  WriteFiles(reproduction, "Serial chains", all);
  if (!complete) return;
  reproduction->ExpectNear("C: operations beyond a polynomial of degree 2", 0,
                           DifferenceBeyond("C+H", 2), 0);
  reproduction->ExpectNear("Γ: operations beyond a polynomial of degree 3", 0,
                           DifferenceBeyond("Gamma", 3), 0);
  reproduction->ExpectNear("C: slope of the time", 2, all[0].TimeSlope(kSlopeFrom), 0.8);
  reproduction->ExpectNear("Γ: slope of the time", 3, all[1].TimeSlope(kSlopeFrom), 0.8);
}

void ReproduceFigure3(Reproduction* reproduction) {
  RequireOperationCounter();
  std::vector<ScalingSeries> all;
  const bool complete = MeasureKinds(reproduction, {"tree"}, &all);
  WriteFiles(reproduction, "Binary trees", all);
  if (!complete) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = i == 0 ? "C" : "Γ";
    reproduction->ExpectAtLeast(name + ": slope of the operations", std::nullopt,
                                all[i].FlopSlope(kSlopeFrom), 1);
    reproduction->ExpectAtMost(name + ": slope of the operations", std::nullopt,
                               all[i].FlopSlope(kSlopeFrom), i == 0 ? 1.3 : 1.6);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = i == 0 ? "C" : "Γ";
    reproduction->ExpectNear(name + ": slope of the time, about between 1 and 2", 1.5,
                             all[i].TimeSlope(kSlopeFrom), 0.8);
  }
}

void ReproduceFigure4(Reproduction* reproduction) {
  RequireOperationCounter();
  std::vector<ScalingSeries> all;
  const bool complete = MeasureKinds(reproduction, {"biped", "quadruped"}, &all);
  WriteFiles(reproduction, "Floating mechanisms with legs", all);
  if (!complete) return;
  const auto flops = [](const ScalingPoint& point) { return point.flops; };
  const auto time = [](const ScalingPoint& point) { return point.times.min; };
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = i == 0 ? "C" : "Γ";
    reproduction->ExpectAtLeast(name + ": operations, biped over quadruped", std::nullopt,
                                MeanRatio(all[i], all[i + 2], flops), 1.05);
    reproduction->ExpectAtLeast(name + ": time, biped over quadruped", std::nullopt,
                                MeanRatio(all[i], all[i + 2], time), 0.7);
  }
}

}  // namespace civita
