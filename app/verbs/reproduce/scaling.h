#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "app/report/svg_plot.h"
#include "app/verbs/bench/measure.h"

// Times over the size of a mechanism, as in figures 2 to 4 of [EW].

namespace civita {

struct ScalingPoint {
  int joints = 0;  ///< N of chainN, bipedN, …
  CallTimes times;
  double flops = 0;
};

/// A quantity of one kind of mechanism at increasing sizes.
struct ScalingSeries {
  std::string kind;      ///< "chain"
  std::string quantity;  ///< "C+H"
  std::vector<ScalingPoint> points;

  /// Slopes of log time and log flops over log N, fitted to the sizes from `from` to `to`.
  double TimeSlope(int from, int to = std::numeric_limits<int>::max()) const;
  double FlopSlope(int from) const;
};

/// N = 5 … 200.
std::span<const int> ScalingSizes();
/// Smallest size of the fits: above it the costs per call and per body matter less.
constexpr int kSlopeFrom = 40;

/// Measures each size for `seconds`, in rounds over all sizes of which the fastest counts, since a
/// temporary disturbance of the machine would bend the slopes. Continues while `go_on(joints)`.
constexpr int kScalingRounds = 10;
ScalingSeries MeasureScaling(const std::string& kind, const std::string& quantity, double seconds,
                             const std::function<bool(int)>& go_on);

/// Log-log plot: minima as points, the fits as lines named with their slopes.
SvgPlot PlotScaling(const std::string& title, std::span<const ScalingSeries> series);

}  // namespace civita
