#include "app/window/plot/plot.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/window/plot/painter.h"
#include "app/window/widgets/widgets.h"

namespace civita {
namespace {

constexpr float kMinPlotWidth = 40, kMinPlotHeight = 16;
constexpr float kTimeTickSpacing = 64, kDecadeSpacing = 16;

}  // namespace

void PlotState::Solo(int line, int count) {
  const uint64_t all = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  const uint64_t others = all & ~(uint64_t{1} << (line & 63));
  hidden_ = (hidden_ & all) == others ? 0 : others;
}

PlotEvents PlotPainter::Draw() {
  if (area_.w < ui_.px(kMinPlotWidth) || area_.h < ui_.px(kMinPlotHeight)) return {};
  LayOutLegend();
  if (spec_.path != nullptr) return DrawPath();
  if (spec_.spectrum != nullptr) return DrawSpectrum();
  ImGui::PushID(spec_.id);
  TellNote(spec_.note);
  const PlotEvents events = HandleMouse();
  SetLimits();
  SetMapping();
  draw_->PushClipRect(frame_.min(), frame_.max(), true);
  DrawTitle();
  if (spec_.log) {
    DrawDecades();
  } else {
    DrawValueGrid();
  }
  DrawTimeGrid();
  draw_->PushClipRect(ImVec2(area_.x, area_.y - ui_.px(1)),
                      ImVec2(area_.right(), area_.bottom() + ui_.px(1)), true);
  DrawSelected();
  DrawAside();
  DrawLines();
  draw_->PopClipRect();
  DrawMarks();
  if (!any_data_) DrawEmpty();
  DrawCursor();
  HandleBox();
  draw_->PopClipRect();
  if (hovered_ && !state_.boxing_) DrawCard();
  ImGui::PopID();
  return events;
}

// ---- limits

ValueRange PlotPainter::DataRange(const TraceBuffer& trace, int channel, double scale) const {
  const double end = std::min(axis_.t1(), axis_.stretch_end);
  const int64_t a = trace.LowerBound(axis_.t0()), b = trace.LowerBound(end);
  ValueRange range = spec_.log ? trace.PositiveRange(channel, a, b) : trace.Range(channel, a, b);
  range.lo = static_cast<float>(range.lo * scale);
  range.hi = static_cast<float>(range.hi * scale);
  return range;
}

void PlotPainter::SetLimits() {
  if (state_.manual_) {
    limits_ = state_.limits_;
    return;
  }
  ValueRange range;
  for (size_t i = 0; i < spec_.lines.size(); ++i) {
    const PlotLine& line = spec_.lines[i];
    if (Shown(i)) range.Add(DataRange(*line.trace, line.channel, line.scale));
  }
  const double lo = range.lo, hi = range.hi;
  if (range.empty() && state_.has_limits_) {
    limits_ = state_.limits_;
    return;
  }
  limits_ = spec_.log ? LogLimits(lo, hi, spec_.max_decades, spec_.log_floor)
                      : LinearLimits(lo, hi, spec_.fixed_lo, spec_.fixed_hi, max_steps(),
                                     spec_.min_range);
  if (state_.has_limits_) limits_ = CalmLimits(state_.limits_, limits_);
  state_.limits_ = limits_;
  state_.has_limits_ = !range.empty();
}

void PlotPainter::SetMapping() {
  mapping_.t0 = axis_.t0();
  mapping_.t1 = axis_.t1();
  mapping_.x0 = area_.x;
  mapping_.x1 = area_.right();
  mapping_.lo = limits_.lo;
  mapping_.hi = limits_.hi;
  mapping_.y_lo = area_.bottom();
  mapping_.y_hi = area_.y;
  mapping_.log = spec_.log;
  if (limits_.lo >= spec_.log_floor) mapping_.floor = spec_.log_floor;
}

// ---- grid

void PlotPainter::DrawGridLine(float y, bool strong, float alpha) {
  FillRect(ui_, {area_.x, std::floor(y), area_.w, ui_.hairline()},
           {strong ? theme_.axis : theme_.grid, alpha});
}

void PlotPainter::DrawTickLabel(float y, const std::string& label) {
  TextMiddle(ui_, ui_.fonts.tiny, area_.x - ui_.px(8), std::floor(y), theme_.muted, label,
             Align::kRight);
}

void PlotPainter::DrawValueGrid() {
  const int exponent = CommonExponent(limits_);
  const double power = std::pow(10.0, exponent);
  const int decimals = DecimalsOf(limits_.step / power);
  for (const double v : TicksIn(limits_.lo, limits_.hi, limits_.step)) {
    const float y = mapping_.Y(static_cast<float>(v));
    DrawGridLine(y, v == 0);
    DrawTickLabel(y, Fixed(v / power, decimals));
  }
}

void PlotPainter::DrawDecades() {
  const double per_decade = area_.h / (limits_.hi - limits_.lo);
  const int skip = std::max(1, static_cast<int>(std::ceil(ui_.px(kDecadeSpacing) / per_decade)));
  const int first = static_cast<int>(std::ceil(limits_.lo - 1e-6));
  const int last = static_cast<int>(std::floor(limits_.hi + 1e-6));
  for (int e = first; e <= last && e < first + 64; ++e) {
    const float y = static_cast<float>(area_.bottom() - (e - limits_.lo) * per_decade);
    const bool labelled = (e - first) % skip == 0;
    DrawGridLine(y, false, labelled ? 1.0f : 0.6f);
    if (labelled) DrawTickLabel(y, PowerOfTen(e));
  }
}

void PlotPainter::DrawTimeGrid() {
  const double step = NiceStep(axis_.length(), area_.w / ui_.px(kTimeTickSpacing));
  const std::vector<double> ticks = TicksIn(axis_.t0(), axis_.t1(), step);
  for (const double t : ticks) {
    VerticalLine(t, theme_.grid, 1);
    if (spec_.time_labels) DrawTimeLabel(t, DecimalsOf(step), t == ticks.back());
  }
}

void PlotPainter::DrawTimeLabel(double t, int decimals, bool last) {
  const std::string label = Fixed(t, decimals) + (last ? " s" : "");
  const float width = TextWidth(ui_.fonts.tiny, label);
  const float x = std::min(mapping_.X(t) - 0.5f * width, frame_.right() - ui_.px(4) - width);
  TextMiddle(ui_, ui_.fonts.tiny, x, area_.bottom() + ui_.px(12), theme_.muted, label);
}

// ---- data

void PlotPainter::DrawAside() {
  constexpr float kAlpha = 0.5f;
  if (spec_.aside == nullptr || spec_.aside->empty()) return;
  CutColumns(*spec_.aside, axis_.t0(), axis_.t1(), area_.w, &state_.cut_);
  state_.columns_aside_.resize(spec_.lines.size());
  for (size_t i = spec_.lines.size(); i-- > 0;) {
    const PlotLine& line = spec_.lines[i];
    if (!Shown(i) || !line.ghost.empty()) continue;
    mapping_.scale = line.scale;
    DecimateTrace(*spec_.aside, line.channel, state_.cut_, mapping_, &state_.columns_aside_[i],
                  &state_.points_);
    StrokeLine(draw_, state_.points_, ToImU32(line.color, kAlpha * line.alpha), ui_.hairline());
  }
  mapping_.scale = 1;
}

// Drawn in reverse, so that the first line is on top.
void PlotPainter::DrawLines() {
  const TraceBuffer* cut_for = nullptr;
  state_.columns_.resize(spec_.lines.size());
  for (size_t i = spec_.lines.size(); i-- > 0;) {
    const PlotLine& line = spec_.lines[i];
    if (line.trace != cut_for) {
      CutColumns(*line.trace, axis_.t0(), axis_.t1(), area_.w, &state_.cut_);
      cut_for = line.trace;
    }
    any_data_ = any_data_ || state_.cut_.size() > 1;
    if (!Shown(i)) continue;
    mapping_.scale = line.scale;
    DecimateTrace(*line.trace, line.channel, state_.cut_, mapping_, &state_.columns_[i],
                  &state_.points_);
    StrokeLine(draw_, state_.points_, ToImU32(line.color, line.alpha), line.width * ui_.scale);
  }
  mapping_.scale = 1;
}

void PlotPainter::DrawEmpty() {
  const auto has_samples = [](const PlotLine& line) { return !line.trace->empty(); };
  const bool elsewhere = std::any_of(spec_.lines.begin(), spec_.lines.end(), has_samples);
  const std::string_view text = elsewhere ? "No data in this window" : spec_.empty_text;
  if (TextWidth(ui_.fonts.small, text) > area_.w) return;
  TextMiddle(ui_, ui_.fonts.small, area_.middle_x(), area_.middle_y(), theme_.faint, text,
             Align::kCenter);
}

// On a line between the title and the area, which it makes smaller: no curve goes below it.
void PlotPainter::TellNote(std::string_view note) {
  if (note.empty()) return;
  constexpr float kLine = 13, kMiddle = 5;  // logical px; marks stand between line and area
  TextClipped(ui_, ui_.fonts.tiny, frame_.x + ui_.px(16), area_.y - ui_.px(kMiddle), area_.right(),
              theme_.muted, note);
  area_.y += ui_.px(kLine);
  area_.h -= ui_.px(kLine);
}

void PlotPainter::DrawMarks() {
  for (const PlotMark& mark : spec_.marks) {
    const double end = mark.kind == PlotMark::Kind::kSaturation ? mark.t_end : mark.t;
    if (end >= axis_.t0() && mark.t <= axis_.t1()) DrawMark(mark);
  }
}

void PlotPainter::DrawMark(const PlotMark& mark) {
  const float x = std::floor(mapping_.X(mark.t)), hair = ui_.hairline();
  const Rgb color = mark.kind == PlotMark::Kind::kNotice ? theme_.warn : theme_.muted;
  if (mark.kind == PlotMark::Kind::kFailure) {
    FillRect(ui_, {x, area_.y, ui_.px(2), area_.h}, theme_.error);
    return;
  }
  if (mark.kind == PlotMark::Kind::kSaturation) {
    const float a = std::max(x, area_.x);
    const float b = std::min(std::max(mapping_.X(mark.t_end), x + ui_.px(1)), area_.right());
    FillRect(ui_, {a, area_.bottom() - ui_.px(3), b - a, ui_.px(3)}, {theme_.warn, 0.85f});
    return;
  }
  for (float y = area_.y; y < area_.bottom(); y += ui_.px(5)) {
    const float dash = std::min(area_.bottom() - y, ui_.px(3));
    FillRect(ui_, {x, y, hair, dash}, {theme_.muted, 0.8f});
  }
  if (mark.kind == PlotMark::Kind::kPush || mark.kind == PlotMark::Kind::kThrow) {
    draw_->AddTriangleFilled(ImVec2(x - ui_.px(4), area_.y - ui_.px(5)),
                             ImVec2(x + ui_.px(4) + hair, area_.y - ui_.px(5)),
                             ImVec2(x + 0.5f * hair, area_.y + ui_.px(1)), ToImU32(color));
  } else {
    FillRect(ui_, {x - ui_.px(3), area_.y - ui_.px(5), ui_.px(6) + hair, ui_.px(6)}, color,
             ui_.px(1));
  }
}

Rect PlotArea(const Ui& ui, const Rect& frame, bool time_labels) {
  constexpr float kTitleRow = 34, kFoot = 8, kFootWithLabels = 24;
  Rect area{frame.x + ui.px(kPlotGutter), frame.y + ui.px(kTitleRow), 0, 0};
  area.w = frame.right() - ui.px(kPlotRightMargin) - area.x;
  area.h = frame.bottom() - ui.px(time_labels ? kFootWithLabels : kFoot) - area.y;
  return area;
}

PathAxisLabel::PathAxisLabel(const Ui& ui, const Rect& frame, std::string_view title,
                             const PlotPath& path, bool is_x)
    : unit(is_x ? path.unit_x : path.unit_y) {
  const Rect area = PlotArea(ui, frame, true);
  const Font font = ui.fonts.small;
  name = ShortenedName(font, 0.4f * area.w, is_x ? path.name_x : path.name_y);
  const float name_width = TextWidth(font, name);
  rect.w = name_width + TextWidth(font, unit) + ui.px(18);
  rect.h = ui.px(18);
  // That of y is behind the title and its arrow.
  rect.x = is_x ? area.right() - rect.w : frame.x + ui.px(46) + TextWidth(ui.fonts.strong, title);
  rect.y = is_x ? area.bottom() + ui.px(3) : frame.y + ui.px(6);
  unit_x = rect.x + ui.px(10) + name_width;
}

PlotEvents DrawPlot(const Ui& ui, const Rect& frame, const PlotSpec& spec, TimeAxis* axis,
                    PlotState* state) {
  return PlotPainter(ui, frame, spec, axis, state).Draw();
}

}  // namespace civita
