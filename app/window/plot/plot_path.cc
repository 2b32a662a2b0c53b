// Plots of one signal over another.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/window/plot/painter.h"
#include "app/window/widgets/widgets.h"
#include "civita/sim/metrics.h"

namespace civita {
namespace {

constexpr int64_t kCoarse = 256;       // samples of which a trace knows the range
constexpr int64_t kMostPoints = 4000;  // of a path, about
constexpr float kReach = 24;           // of the pointer, logical px
constexpr float kTickSpacingX = 56;    // logical px

}  // namespace

PlotEvents PlotPainter::DrawPath() {
  PlotEvents events;
  ImGui::PushID(spec_.id);
  SetPathLimits();
  ImGui::SetCursorScreenPos(area_.min());
  ImGui::InvisibleButton("area", ImVec2(area_.w, area_.h));
  hovered_ = events.hovered = ImGui::IsItemHovered();
  const double at_pointer = hovered_ ? PathTimeAtPointer() : kNaN;
  if (!std::isnan(at_pointer)) {
    axis_.SetCursor(at_pointer);
    events.clicked = ImGui::IsItemDeactivated();
    events.clicked_time = at_pointer;
  }
  draw_->PushClipRect(frame_.min(), frame_.max(), true);
  DrawTitle();
  DrawPathGrid();
  draw_->PushClipRect(area_.min(), area_.max(), true);
  DrawPathLines();
  draw_->PopClipRect();
  if (!any_data_) DrawEmpty();
  draw_->PopClipRect();
  ImGui::PopID();
  if (!std::isnan(at_pointer)) DrawPathCard(at_pointer);
  return events;
}

void PlotPainter::SetPathLimits() {
  ValueRange x, y;
  for (size_t i = 0; i < spec_.lines.size(); ++i) {
    const PlotLine& line = spec_.lines[i];
    if (!Shown(i)) continue;
    const int64_t begin = line.trace->LowerBound(path_begin());
    const int64_t end = line.trace->LowerBound(path_end());
    x.Add(line.trace->Range(line.channel_x, begin, end));
    y.Add(line.trace->Range(line.channel, begin, end));
  }
  const double scale = spec_.lines.empty() ? 1 : spec_.lines.front().scale;
  const double scale_x = spec_.lines.empty() ? 1 : spec_.lines.front().scale_x;
  const auto limits = [](const ValueRange& range, double factor, double steps, double least) {
    return LinearLimits(factor * range.lo, factor * range.hi, kNaN, kNaN, steps, least);
  };
  const bool known = state_.has_limits_;
  if (!x.empty() && !y.empty()) {
    const AxisLimits next_x = limits(x, scale_x, area_.w / ui_.px(kTickSpacingX),
                                     spec_.path->has_own_unit ? 0 : spec_.min_range);
    const AxisLimits next_y = limits(y, scale, max_steps(), spec_.min_range);
    state_.limits_x_ = known ? CalmLimits(state_.limits_x_, next_x) : next_x;
    state_.limits_ = known ? CalmLimits(state_.limits_, next_y) : next_y;
    state_.has_limits_ = true;
  }
  limits_ = state_.limits_;
  SetMapping();
  mapping_.scale = scale;
}

float PlotPainter::PathX(double value) const {
  const AxisLimits& x = state_.limits_x_;
  return static_cast<float>(area_.x + area_.w * (value - x.lo) / (x.hi - x.lo));
}

ImVec2 PlotPainter::PathPoint(const PlotLine& line, int64_t sample) const {
  const auto value = static_cast<double>(line.trace->value(sample, line.channel_x));
  return ImVec2(PathX(line.scale_x * value), mapping_.Y(line.trace->value(sample, line.channel)));
}

// As DrawValueGrid, with ticks along x too.
void PlotPainter::DrawPathGrid() {
  const double scale = std::exchange(mapping_.scale, 1);
  DrawValueGrid();
  mapping_.scale = scale;
  const AxisLimits& x = state_.limits_x_;
  const double power = std::pow(10.0, exponent_x());
  const float names_begin = spec_.path->has_own_unit
                                ? DrawAbscissa()
                                : PathAxisLabel(ui_, frame_, spec_.title, *spec_.path, true).rect.x;
  for (const double v : TicksIn(x.lo, x.hi, x.step)) {
    FillRect(ui_, {std::floor(PathX(v)), area_.y, ui_.hairline(), area_.h},
             v == 0 ? theme_.axis : theme_.grid);
    const std::string label = Fixed(v / power, DecimalsOf(x.step / power));
    const float half = 0.5f * TextWidth(ui_.fonts.tiny, label);
    if (PathX(v) + half > names_begin) continue;
    TextMiddle(ui_, ui_.fonts.tiny, PathX(v), area_.bottom() + ui_.px(12), theme_.muted, label,
               Align::kCenter);
  }
}

// The exponent of the abscissa, which has that of the ordinate with its unit.
int PlotPainter::exponent_x() const {
  return CommonExponent(spec_.path->has_own_unit ? state_.limits_x_ : limits_);
}

// Draws the name of an abscissa with a unit of its own. Returns where it begins.
float PlotPainter::DrawAbscissa() {
  const int exponent = CommonExponent(state_.limits_x_);
  std::string text = ShortenedName(ui_.fonts.small, 0.5f * area_.w, spec_.path->name_x) + ", ";
  if (exponent != 0) text += PowerOfTen(exponent) + " ";
  text += spec_.path->unit_x;
  TextMiddle(ui_, ui_.fonts.small, area_.right(), area_.bottom() + ui_.px(12), theme_.muted, text,
             Align::kRight);
  return area_.right() - TextWidth(ui_.fonts.small, text) - ui_.px(8);
}

// Puts into points_ samples that the eye can tell apart, evenly chosen of many; a block that covers
// less than a pixel counts as one; the last one, where the dot is, is among them.
void PlotPainter::FindPath(const PlotLine& line, int64_t begin, int64_t end) {
  const auto is_small = [&](int64_t a, int64_t b) {
    const ValueRange x = line.trace->Range(line.channel_x, a, b);
    const ValueRange y = line.trace->Range(line.channel, a, b);
    return !x.gap && !y.gap && PathX(line.scale_x * x.hi) - PathX(line.scale_x * x.lo) < 1 &&
           mapping_.Y(y.lo) - mapping_.Y(y.hi) < 1;
  };
  int64_t stride = 1;
  while (stride < kCoarse && stride * kMostPoints < end - begin) stride *= 2;
  state_.points_.clear();
  ImVec2 last(-1e9f, 0);
  for (int64_t at = begin; at < end;) {
    const bool is_still = at % kCoarse == 0 && is_small(at, std::min(end, at + kCoarse));
    // A power of two, so that the same samples are chosen as the path grows.
    const int64_t step = is_still ? kCoarse : stride - at % stride;
    const ImVec2 point = PathPoint(line, at);
    // A value that is not finite breaks the line.
    if (!(std::abs(point.x - last.x) + std::abs(point.y - last.y) < 1) || at == begin) {
      state_.points_.push_back({point.x, std::isfinite(point.x) ? point.y : std::nanf("")});
      last = point;
    }
    at += step;
  }
  if (end > begin) {
    const ImVec2 point = PathPoint(line, end - 1);
    state_.points_.push_back({point.x, point.y});
  }
}

void PlotPainter::DrawPathLines() {
  constexpr float kLaterAlpha = 0.5f;
  for (size_t i = spec_.lines.size(); i-- > 0;) {
    const PlotLine& line = spec_.lines[i];
    const int64_t begin = line.trace->LowerBound(path_begin());
    const int64_t end = line.trace->LowerBound(std::nextafter(path_end(), HUGE_VAL));
    const int64_t now = std::clamp(line.trace->LowerBound(spec_.path->now) + 1, begin, end);
    any_data_ = any_data_ || end - begin > 1;
    if (!Shown(i)) continue;
    FindPath(line, now > begin ? now - 1 : now, end);
    StrokeLine(draw_, state_.points_, ToImU32(line.color, kLaterAlpha * line.alpha),
               ui_.hairline());
    FindPath(line, begin, now);
    StrokeLine(draw_, state_.points_, ToImU32(line.color, line.alpha), line.width * ui_.scale);
  }
  for (size_t i = spec_.lines.size(); i-- > 0;) {
    if (!Shown(i)) continue;
    DrawPathDot(spec_.lines[i], spec_.path->now, 4);
    if (!std::isnan(axis_.cursor())) DrawPathDot(spec_.lines[i], axis_.cursor(), 2.5f);
  }
}

void PlotPainter::DrawPathDot(const PlotLine& line, double t, float radius) {
  const TraceBuffer& trace = *line.trace;
  if (trace.empty() || t < trace.first_time()) return;
  const ImVec2 at = PathPoint(line, std::min(trace.LowerBound(t), trace.end_index() - 1));
  if (!std::isfinite(at.x) || !std::isfinite(at.y)) return;
  FillCircle(ui_, at, ui_.px(radius + 1.5f), theme_.surface, 20);
  FillCircle(ui_, at, ui_.px(radius), line.ink(), 20);
}

// The time of the sample nearest to the pointer; NaN if none is near.
double PlotPainter::PathTimeAtPointer() const {
  constexpr int64_t kMostSteps = 4000;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  float nearest = ui_.px(kReach);
  double t = kNaN;
  for (size_t i = 0; i < spec_.lines.size(); ++i) {
    const PlotLine& line = spec_.lines[i];
    if (!Shown(i)) continue;
    const int64_t begin = line.trace->LowerBound(path_begin());
    const int64_t end = line.trace->LowerBound(path_end());
    const int64_t step = std::max<int64_t>(1, (end - begin) / kMostSteps);
    for (int64_t at = begin; at < end; at += step) {
      const ImVec2 point = PathPoint(line, at);
      const float distance = std::hypot(point.x - pointer.x, point.y - pointer.y);
      if (!(distance < nearest)) continue;
      nearest = distance;
      t = line.trace->time(at);
    }
  }
  return t;
}

void PlotPainter::DrawPathCard(double t) const {
  std::string text = "t = " + Fixed(t, 3) + " s";
  for (size_t i = 0; i < spec_.lines.size(); ++i) {
    const PlotLine& line = spec_.lines[i];
    if (!Shown(i)) continue;
    const int64_t sample = std::min(line.trace->LowerBound(t), line.trace->end_index() - 1);
    const auto shown = [&](int channel, double scale, const AxisLimits& axis, int exponent) {
      const double power = std::pow(10.0, exponent);
      const int decimals = std::max(spec_.decimals, DecimalsOf(axis.step / power) + 1);
      const auto value = static_cast<double>(line.trace->value(sample, channel));
      return Fixed(scale * value / power, decimals, 0, Sign::kAlways);
    };
    text += "\n" + std::string(line.name) + ": " + std::string(spec_.path->name_x) + " " +
            shown(line.channel_x, line.scale_x, state_.limits_x_, exponent_x()) + ", " +
            std::string(spec_.path->name_y) + " " +
            shown(line.channel, line.scale, limits_, CommonExponent(limits_));
  }
  Tooltip(ui_, text);
}

}  // namespace civita
