#include "app/style/axis.h"

#include <algorithm>

namespace civita {
namespace {

constexpr double kMinLength = 2e-3;  // of the time window, s
constexpr double kMargin = 0.06;     // of the data range, at each end of a linear axis

}  // namespace

double NiceStep(double range, double max_steps) {
  const double raw = range / std::max(1.0, max_steps);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double mantissa = raw / power * (1 - 1e-9);
  return power * (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10);
}

int DecimalsOf(double step) {
  return std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
}

std::vector<double> TicksIn(double lo, double hi, double step) {
  std::vector<double> ticks;
  const double first = std::ceil(lo / step - 1e-6), last = std::floor(hi / step + 1e-6);
  for (double k = first; k <= last && ticks.size() < 64; k += 1) {
    ticks.push_back(k == 0 ? 0.0 : k * step);
  }
  return ticks;
}

AxisLimits LinearLimits(double lo, double hi, double fixed_lo, double fixed_hi, double max_steps,
                        double min_range) {
  if (!(lo <= hi)) lo = 0, hi = 1;
  const double size = std::max(std::abs(lo), std::abs(hi));
  double margin = kMargin * (hi - lo);
  if (hi - lo <= 1e-6 * size) margin = 0.1 * size;
  if (size < 1e-30) margin = min_range > 0 ? 0.5 * min_range : 1;
  margin = std::max(margin, 0.5 * (min_range - (hi - lo)));
  AxisLimits a{std::isnan(fixed_lo) ? lo - margin : fixed_lo,
               std::isnan(fixed_hi) ? hi + margin : fixed_hi, 0};
  if (!(a.hi > a.lo)) a.hi = a.lo + std::max(1e-9, 0.1 * std::abs(a.lo));
  const AxisLimits exact = a;
  for (const double most : {std::clamp(std::floor(max_steps), 2.0, 7.0), 3.0}) {
    a = exact;
    a.step = NiceStep(a.hi - a.lo, most);
    const double half = 0.5 * a.step;
    if (std::isnan(fixed_lo)) a.lo = std::floor(a.lo / half + 1e-6) * half;
    if (std::isnan(fixed_hi)) a.hi = std::ceil(a.hi / half - 1e-6) * half;
    if (TicksIn(a.lo, a.hi, a.step).size() >= 2) break;
  }
  return a;
}

AxisLimits LogLimits(double lo, double hi, double max_decades, double floor) {
  if (!(lo > 0 && lo <= hi)) lo = 0.1, hi = 1;
  AxisLimits a{0, std::ceil(std::log10(hi) + 0.02), 1};
  a.hi = std::max(a.hi, floor + 2);
  a.lo = std::max({std::floor(std::log10(lo) + 0.02), a.hi - max_decades, floor});
  a.lo = std::min(a.lo, a.hi - 2);
  return a;
}

AxisLimits CalmLimits(const AxisLimits& previous, const AxisLimits& next) {
  const double slack = 1e-6 * (next.hi - next.lo);
  const bool holds = previous.lo <= next.lo + slack && previous.hi >= next.hi - slack;
  return holds && previous.hi - previous.lo < 1.6 * (next.hi - next.lo) ? previous : next;
}

int CommonExponent(const AxisLimits& limits) {
  const double size = std::max(std::abs(limits.lo), std::abs(limits.hi));
  if (size < 1e5 && limits.step > 0.9e-3) return 0;
  return 3 * static_cast<int>(std::floor(std::log10(size) / 3));
}

double GrownSpan(double duration, double span) {
  for (const double step : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
    if (step >= span) break;
    if (duration <= step) return step;
  }
  return span;
}

void TimeAxis::Update(double first, double last) {
  if (last < last_ && t0_ > last) following_ = true;  // the record was rewound to before the window
  first_ = first;
  last_ = last;
  if (following_ && !held_) {
    const double length = span_ == preset_ ? GrownSpan(last - first, span_) : span_;
    t1_ = std::max(first + length, last);
    if (shown < t1_ - length) t1_ = std::max(first + length, shown + 0.5 * length);
    t0_ = t1_ - length;
  } else if (!held_ && shown != last_shown_ && (shown < t0_ || shown > t1_)) {
    // Scrubbed to outside of a window that the user has set, which moves there.
    const double length = t1_ - t0_;
    t0_ = std::max(first, shown - 0.5 * length);
    t1_ = t0_ + length;
  }
  last_shown_ = shown;
  cursor_ = next_cursor_;
  share_ = next_share_;
  next_cursor_ = next_share_ = std::numeric_limits<double>::quiet_NaN();
}

void TimeAxis::SetSpan(double span) {
  preset_ = span;
  if (held_) {
    t0_ = t1_ - span;
    return;
  }
  span_ = span;
  following_ = true;
}

// Sets the window to [a, b], clamped to valid lengths; with `follow` it moves with the newest
// sample.
void TimeAxis::Place(double a, double b, bool follow) {
  const double longest = std::max(60.0, 1.5 * (last_ - first_));
  const double length = std::clamp(b - a, kMinLength, longest);
  if (length != b - a) {
    const double middle = 0.5 * (a + b);
    a = middle - 0.5 * length;
  }
  a = std::clamp(a, first_ - 0.5 * length, std::max(first_, last_ - 0.1 * length));
  t0_ = a;
  t1_ = a + length;
  following_ = follow && t1_ >= last_;
  if (following_) span_ = length;
}

void TimeAxis::Pan(double dt) { Place(t0_ + dt, t1_ + dt, true); }

void TimeAxis::Zoom(double factor, double at) {
  const bool follow = factor > 1 || at > last_ - 0.05 * length();
  Place(at + (t0_ - at) * factor, at + (t1_ - at) * factor, follow);
}

void TimeAxis::Show(double a, double b) { Place(std::min(a, b), std::max(a, b), false); }

void TimeAxis::Fit() {
  if (following_ && span_ == preset_ && last_ - first_ > span_) {
    t0_ = first_;
    t1_ = last_;
    following_ = false;
    return;
  }
  span_ = preset_;
  following_ = true;
}

}  // namespace civita
