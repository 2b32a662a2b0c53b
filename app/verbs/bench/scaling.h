#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/report/svg_plot.h"
#include "app/verbs/bench/measure.h"

// Times over the size of a mechanism: figures 2 to 4 of [EW].

namespace civita {

struct ScalingPoint {
  int joints = 0;  ///< N of chainN, bipedN, …
  CallTimes times;
  double flops = 0;
};

/// A quantity of one kind of mechanism at growing sizes.
struct ScalingSeries {
  std::string kind;      ///< "chain"
  std::string quantity;  ///< "C+H"
  std::vector<ScalingPoint> points;

  /// Slopes of log time and of log flops over log N, fitted to the sizes from `from` on.
  double TimeSlope(int from) const;
  double FlopSlope(int from) const;
};

/// N = 5 … 200.
std::span<const int> ScalingSizes();
/// Where slopes are fitted: what each call takes once, and each body, matters less there.
constexpr int kSlopeFrom = 40;

/// Measures each size for `seconds`, in rounds over all sizes of which the fastest counts: what
/// disturbs a machine for a while would bend the slopes. Goes on while `go_on(joints)`.
constexpr int kScalingRounds = 3;
ScalingSeries MeasureScaling(const std::string& kind, const std::string& quantity, double seconds,
                             const std::function<bool(int)>& go_on);

/// Log-log: minima as points, the fits as lines, named with their slopes.
SvgPlot PlotScaling(const std::string& title, std::span<const ScalingSeries> series);

}  // namespace civita
