// Axes of the plots: calm limits and ticks, and the time window that all plots share. No ImGui in
// here.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace civita {

/// Smallest 1, 2 or 5 times a power of ten that cuts `range` > 0 into at most `max_steps` steps.
double NiceStep(double range, double max_steps);

/// Decimals that tell multiples of `step` apart.
int DecimalsOf(double step);

/// Multiples of `step` in [lo, hi], exact zero included as such.
std::vector<double> TicksIn(double lo, double hi, double step);

/// Limits of a value axis. On a logarithmic axis lo and hi are whole exponents of ten and step
/// is 1.
struct AxisLimits {
  double lo = 0, hi = 1, step = 0.2;
};

/// Linear limits around the data range [lo, hi] with a margin, widened to half a step of 1·2·5 with
/// 2 to `max_steps` steps. A NaN `fixed_lo` or `fixed_hi` leaves that end free. Never degenerate.
AxisLimits LinearLimits(double lo, double hi, double fixed_lo, double fixed_hi, double max_steps);

/// Whole decades around the positive data range [lo, hi]: at least 2, at most `max_decades` below
/// the top.
AxisLimits LogLimits(double lo, double hi, double max_decades);

/// Keeps `previous` while it still fits `next` (holds it and is less than 1.6 times as wide), so
/// that the axis does not breathe with every frame.
AxisLimits CalmLimits(const AxisLimits& previous, const AxisLimits& next);

/// Power of a thousand that is taken out of a linear axis' tick labels so that they fit the gutter;
/// 0 for everyday sizes.
int CommonExponent(const AxisLimits& limits);

/// The time window of all plots of a card: following the newest sample, or where the user put it.
class TimeAxis {
 public:
  double t0() const { return t0_; }
  double t1() const { return t1_; }
  double length() const { return t1_ - t0_; }
  /// True while the window moves along with the newest sample.
  bool following() const { return following_; }
  /// Length (s) of the window while following.
  double span() const { return span_; }

  /// Call once a frame before the plots, with the oldest and newest time on record. Moves the
  /// window when following, and hands the cursor over to this frame.
  void Update(double first, double last);

  /// Follows the newest sample with a window of `span` > 0 seconds. On hold, zooms to that length
  /// in place.
  void SetSpan(double span);
  /// Follows the newest sample again, with the present span.
  void Follow() { following_ = true; }
  /// Freezes the window while samples keep coming in; panning and zooming still work.
  void Hold(bool hold) { held_ = hold; }
  bool held() const { return held_; }

  /// Moves by `dt` seconds; reaching the newest sample resumes following.
  void Pan(double dt);
  /// Scales the length by `factor` about time `at`. Zooming out beyond the newest sample resumes
  /// following, zooming in elsewhere than at the newest sample leaves it.
  void Zoom(double factor, double at);
  /// Shows [a, b].
  void Show(double a, double b);
  /// From a window of the user's own: follow again with the last preset span. From following: show
  /// all.
  void Fit();

  /// Time under the pointer in any of the plots, shown in all of them; NaN when none.
  double cursor() const { return cursor_; }
  void SetCursor(double t) { next_cursor_ = t; }

  /// Samples after this time do not stretch the value axes (set it 120 ms before a failure).
  double stretch_end = std::numeric_limits<double>::infinity();
  /// Time of the shown state where it is not the newest one (while scrubbing); NaN hides the line.
  double shown = std::numeric_limits<double>::quiet_NaN();

 private:
  void Place(double a, double b, bool follow);

  double t0_ = 0, t1_ = 10, span_ = 10, preset_ = 10, first_ = 0, last_ = 0;
  bool following_ = true, held_ = false;
  double cursor_ = std::numeric_limits<double>::quiet_NaN();
  double next_cursor_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace civita
