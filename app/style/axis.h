// Axes of the plots: stable limits and ticks, and the time window shared by all plots. Independent
// of Dear ImGui.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace civita {

/// The smallest 1, 2 or 5 times a power of ten that divides `range` > 0 into at most `max_steps`
/// steps.
double NiceStep(double range, double max_steps);

/// Number of decimals that distinguish multiples of `step`.
int DecimalsOf(double step);

/// Multiples of `step` in [lo, hi], with exact zero.
std::vector<double> TicksIn(double lo, double hi, double step);

/// Limits of a value axis. On a logarithmic axis lo and hi are whole exponents of ten and step
/// is 1.
struct AxisLimits {
  double lo = 0, hi = 1, step = 0.2;
};

/// Linear limits around the data range [lo, hi] with a margin, widened to half a step of 1·2·5
/// with 2 to `max_steps` steps, and to `min_range` at least. A NaN `fixed_lo` or `fixed_hi` means
/// that this limit is free. Never degenerate.
AxisLimits LinearLimits(double lo, double hi, double fixed_lo, double fixed_hi, double max_steps,
                        double min_range = 0);

/// Whole decades around the positive data range [lo, hi]: at least 2, at most `max_decades` below
/// the maximum, and none below the exponent `floor`.
AxisLimits LogLimits(double lo, double hi, double max_decades,
                     double floor = -std::numeric_limits<double>::infinity());

/// Length (s) of a window of at most `span` that shows a run of `duration`: it grows in steps, so
/// that what happens at the start is not squeezed.
double GrownSpan(double duration, double span);

/// Keeps `previous` while it contains `next` and is less than 1.6 times as wide, so that the axis
/// does not change with every frame.
AxisLimits CalmLimits(const AxisLimits& previous, const AxisLimits& next);

/// The exponent, a multiple of three, of the power of ten factored out of a linear axis' tick
/// labels so that they fit the gutter; 0 for moderate values.
int CommonExponent(const AxisLimits& limits);

/// The time window of all plots of a card: following the newest sample, or set by the user.
class TimeAxis {
 public:
  double t0() const { return t0_; }
  double t1() const { return t1_; }
  double length() const { return t1_ - t0_; }
  /// Whether the window moves with the newest sample.
  bool following() const { return following_; }
  /// Length (s) of the window while following.
  double span() const { return span_; }
  /// The span set last, not by zooming.
  double preset() const { return preset_; }

  /// Updates the range of recorded times and moves the window when following; starts a new frame
  /// of the cursor. Call once a frame before the plots.
  void Update(double first, double last);

  /// Follows the newest sample with a window of `span` > 0 seconds. On hold, changes the length in
  /// place.
  void SetSpan(double span);
  /// Follows the newest sample again, with the present span.
  void Follow() { following_ = true; }
  /// Freezes the window while samples continue to arrive; panning and zooming still work.
  void Hold(bool hold) { held_ = hold; }
  bool held() const { return held_; }

  /// Moves by `dt` seconds; reaching the newest sample resumes following.
  void Pan(double dt);
  /// Scales the length by `factor` about time `at`. Following resumes when the window then reaches
  /// the newest sample; zooming in elsewhere ends it.
  void Zoom(double factor, double at);
  /// Shows [a, b].
  void Show(double a, double b);
  /// From a window set by the user: follows again with the last preset span. From following: shows
  /// all.
  void Fit();

  /// Time under the pointer in any of the plots, shown in all of them; NaN if none.
  double cursor() const { return std::isnan(share_) ? cursor_ : t0_ + share_ * length(); }
  void SetCursor(double t) { next_cursor_ = t; }
  /// The same, 0…1 of the window, with which it moves.
  void SetCursorShare(double share) { next_share_ = share; }
  /// Moves a cursor that is a share of the window already in this frame.
  void MoveCursor(double share) {
    if (!std::isnan(share_)) share_ = share;
  }

  /// Samples after this time do not affect the value axes (set to 120 ms before a failure).
  double stretch_end = std::numeric_limits<double>::infinity();
  /// Time of the shown state if it is not the newest one (while scrubbing), which a window that
  /// is not held then contains when it changes; NaN hides the line.
  double shown = std::numeric_limits<double>::quiet_NaN();

 private:
  void Place(double a, double b, bool follow);

  double t0_ = 0, t1_ = 10, span_ = 10, preset_ = 10, first_ = 0, last_ = 0;
  bool following_ = true, held_ = false;
  double last_shown_ = std::numeric_limits<double>::quiet_NaN();
  double cursor_ = std::numeric_limits<double>::quiet_NaN();
  double next_cursor_ = std::numeric_limits<double>::quiet_NaN();
  double share_ = std::numeric_limits<double>::quiet_NaN(), next_share_ = share_;
};

}  // namespace civita
