#include "civita/sim/comparison_sentence.h"

#include <cmath>
#include <cstdio>
#include <string_view>

#include "civita/sim/metrics.h"

namespace civita {
namespace {

constexpr double kVisibleAngle = 0.01;  ///< rad; smaller turnings are told as none

std::string DigitsOf(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}
std::string AngleText(double radians) { return DigitsOf("%.2f", radians); }

struct Figure {
  MetricInfo info;
  double value = kNaN;
};

Figure FindFigure(const RunFigures& run, std::string_view key) {
  for (std::size_t i = 0; i < run.metrics.size() && i < run.values.size(); ++i) {
    if (run.metrics[i].key == key) return {run.metrics[i], run.values[i]};
  }
  return {};
}

bool AreApart(const Figure& a, const Figure& b) {
  return RelativeDifference(a.info, a.value, b.value) > kApart;
}

/// "0.85 rad, 0.61 of it torsion".
std::string TurnedBy(double twist, double ideal) {
  if (twist < kVisibleAngle) return "by less than " + AngleText(kVisibleAngle) + " rad";
  std::string text = "by " + AngleText(twist) + " rad";
  if (!(ideal >= kVisibleAngle)) return text;  // NaN for a law without C
  if (ideal <= twist) return text + ", " + AngleText(ideal) + " of it torsion";
  return text + ", where torsion alone turns it by " + AngleText(ideal);
}

std::string TellTurning(const RunFigures& a, const RunFigures& b) {
  const Figure twist_a = FindFigure(a, "twist_rad"), twist_b = FindFigure(b, "twist_rad");
  const double ideal_a = FindFigure(a, "ideal_turning_rad").value;
  const double ideal_b = FindFigure(b, "ideal_turning_rad").value;
  const double largest = std::fmax(twist_a.value, twist_b.value);
  if (!(largest >= kVisibleAngle)) return "s turned in neither run";
  const bool alike =
      !AreApart(twist_a, twist_b) || std::abs(twist_a.value - twist_b.value) < kVisibleAngle;
  if (alike) return "Both runs turned s alike, " + TurnedBy(twist_a.value, kNaN);
  return a.name + " turned s " + TurnedBy(twist_a.value, ideal_a) + ", " + b.name + " " +
         TurnedBy(twist_b.value, ideal_b);
}

std::string TellError(const RunFigures& a, const RunFigures& b) {
  const Figure error_a = FindFigure(a, "error_rms"), error_b = FindFigure(b, "error_rms");
  if (std::isnan(error_a.value) || std::isnan(error_b.value)) return "";
  // Below it both are on their reference.
  constexpr double kRounding = 1e-9;
  const double larger = std::fmax(error_a.value, error_b.value);
  if (larger < kRounding || !AreApart(error_a, error_b)) return "tracking errors are alike";
  const bool a_is_larger = error_a.value > error_b.value;
  const double smaller = std::fmin(error_a.value, error_b.value);
  return (a_is_larger ? a.name : b.name) + "'s tracking error is " +
         (smaller > 0 ? DigitsOf("%.2g", larger / smaller) + " times " : "above ") +
         (a_is_larger ? b.name + "'s" : a.name + "'s") + " (" + FormatValue(larger) + " against " +
         FormatValue(smaller) + " " + error_a.info.unit + ")";
}

std::string TellStopped(const RunFigures& run, const RunFigures& other) {
  return run.name + " stopped at " + FormatValue(run.failure.t) + " s" +
         (other.failure.failed ? ", " + other.name + " at " + FormatValue(other.failure.t) + " s"
                               : "; " + other.name + " went on") +
         ".";
}

}  // namespace

std::string DescribeComparison(const RunFigures& a, const RunFigures& b) {
  if (a.failure.failed) return TellStopped(a, b);
  if (b.failure.failed) return TellStopped(b, a);
  if (std::isnan(FindFigure(a, "path").value)) return "Nothing is measured yet.";
  std::string text = TellTurning(a, b);
  const std::string error = TellError(a, b);
  if (!error.empty()) text += "; " + error;
  return text + ".";
}

}  // namespace civita
