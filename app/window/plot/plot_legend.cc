// The title's row of a plot: title, unit and legend.
#include <algorithm>
#include <string>

#include "app/window/plot/painter.h"
#include "app/window/widgets/widgets.h"

namespace civita {
namespace {

// Logical px.
constexpr float kLongestEntry = 120, kLegendRow = 16, kTitleMiddle = 15;
constexpr float kEntryGap = 4;    // between entries with large swatches
constexpr float kLeastArea = 40;  // of the area below several rows
constexpr int kMostRows = 3;

}  // namespace

std::string PlotPainter::ShownUnit(const AxisLimits& limits) const {
  std::string unit(spec_.unit);
  const int exponent = spec_.log ? 0 : CommonExponent(limits);
  if (exponent == 0) return unit;
  return PowerOfTen(exponent) + (unit.empty() ? "" : " ") + unit;
}

void PlotPainter::DrawTitle() {
  const float y = frame_.y + ui_.px(kTitleMiddle);
  const float x = frame_.x + ui_.px(16);
  TextMiddle(ui_, ui_.fonts.strong, x, y, theme_.text, spec_.title);
  TextMiddle(ui_, ui_.fonts.small, x + TextWidth(ui_.fonts.strong, spec_.title) + ui_.px(6), y,
             theme_.muted, ShownUnit(limits_));
  DrawLegend();
}

// Behind the title.
float PlotPainter::LegendLeft(const AxisLimits& limits) const {
  const bool is_of_one_signal = spec_.path != nullptr && !spec_.path->has_own_unit;
  const PlotPath* const named = is_of_one_signal ? spec_.path : spec_.coordinate;
  const float unit_end = frame_.x + ui_.px(22) + TextWidth(ui_.fonts.strong, spec_.title) +
                         TextWidth(ui_.fonts.small, ShownUnit(limits));
  const float end = named == nullptr
                        ? unit_end
                        : PathAxisLabel(ui_, frame_, spec_.title, *named, false).rect.right();
  return end + ui_.px(12);
}

std::string PlotPainter::LegendName(const PlotLine& line) const {
  return ShortenedName(ui_.fonts.small, ui_.px(kLongestEntry), line.name);
}

float PlotPainter::LegendEntryWidth(size_t line) const {
  return TextWidth(ui_.fonts.small, LegendName(spec_.lines[line])) +
         ui_.px(legend_compact_ ? 16 : 24 + kEntryGap);
}

// In one row beside the title; where they do not fit, with smaller swatches, and then in as few
// rows as suffice, of as many entries each, which make the area smaller. Runs that were kept come
// after the session's.
void PlotPainter::LayOutLegend() {
  std::vector<size_t> named;
  for (size_t i = 0; i < spec_.lines.size(); ++i) {
    if (spec_.lines[i].is_named()) named.push_back(i);
  }
  const float right = area_.right();
  const float beside = right - LegendLeft(state_.limits_), below = right - frame_.x - ui_.px(16);
  const auto width_of = [&](auto begin, auto end) {
    float width = 0;
    for (; begin != end; ++begin) width += LegendEntryWidth(*begin);
    return width;
  };
  legend_compact_ = !spec_.legend_title.empty();
  legend_compact_ = legend_compact_ || width_of(named.begin(), named.end()) > beside;
  const float spare = (area_.h - ui_.px(kLeastArea)) / ui_.px(kLegendRow);
  const auto most = static_cast<size_t>(std::clamp(1 + static_cast<int>(spare), 1, kMostRows));
  const auto fill = [&](size_t rows) {
    const size_t each = (named.size() + rows - 1) / rows;
    legend_.clear();
    auto next = named.begin();
    while (legend_.size() < rows && next != named.end()) {
      const auto left = static_cast<size_t>(named.end() - next);
      auto end = next + static_cast<std::ptrdiff_t>(std::min(each, left));
      while (end != next && width_of(next, end) > (legend_.empty() ? beside : below)) --end;
      legend_.emplace_back(next, end);
      next = end;
    }
    left_out_.assign(next, named.end());
  };
  for (size_t rows = 1; rows <= most; ++rows) {
    fill(rows);
    if (left_out_.empty()) break;
  }
  if (legend_.size() < 2) return;
  const float more = ui_.px(kLegendRow) * static_cast<float>(legend_.size() - 1);
  area_.y += more;
  area_.h -= more;
}

void PlotPainter::DrawLegend() {
  float y = frame_.y + ui_.px(kTitleMiddle);
  float left = area_.right();
  state_.title_room_ = {};
  for (size_t row = 0; row < legend_.size(); ++row) {
    float x = area_.right() + ui_.px(legend_compact_ ? 0 : kEntryGap);
    for (const size_t line : legend_[row]) x -= LegendEntryWidth(line);
    if (row == 0 || row + 1 == legend_.size()) left = x;
    if (row == 0) {
      const float from = LegendLeft(limits_) - ui_.px(2);
      state_.title_room_ = {from, frame_.y, std::max(0.0f, x - ui_.px(4) - from),
                            2 * (y - frame_.y)};
      const float title = TextWidth(ui_.fonts.small, spec_.legend_title);
      if (x - ui_.px(8) - title > LegendLeft(limits_)) {
        TextMiddle(ui_, ui_.fonts.small, x - ui_.px(6), y, theme_.muted, spec_.legend_title,
                   Align::kRight);
      }
    }
    for (const size_t line : legend_[row]) {
      const float width = LegendEntryWidth(line);
      DrawLegendEntry(line, x, y, width);
      x += width;
    }
    if (row + 1 < legend_.size()) y += ui_.px(kLegendRow);
  }
  if (!left_out_.empty()) TellLeftOut(left, y);
}

// How many have no room; the pointer on it tells which.
void PlotPainter::TellLeftOut(float x, float y) const {
  const std::string text = "+" + std::to_string(left_out_.size());
  const float width = TextWidth(ui_.fonts.small, text) + ui_.px(8);
  const Hit hit = HitBox("left out", {x - width, y - ui_.px(8), width, ui_.px(16)});
  TextMiddle(ui_, ui_.fonts.small, x - ui_.px(4), y, hit.hovered ? theme_.text : theme_.muted, text,
             Align::kRight);
  std::string names;
  for (const size_t line : left_out_) {
    names += (names.empty() ? "" : ", ") + std::string(spec_.lines[line].name);
  }
  DelayedTooltip(ui_, hit, names);
}

void PlotPainter::DrawLegendEntry(size_t index, float x, float y, float width) {
  const PlotLine& line = spec_.lines[index];
  const int id = static_cast<int>(index);
  const float half = ui_.px(0.5f * kLegendRow);
  if (!legend_compact_) width -= ui_.px(kEntryGap);
  ImGui::PushID(id);
  const Rect box{x, y - half, width, 2 * half};
  const Hit hit = HitBox("legend", box);
  ImGui::PopID();
  if (hit.clicked && ImGui::GetIO().KeyCtrl) {
    state_.Solo(id, static_cast<int>(spec_.lines.size()));
  } else if (hit.clicked) {
    state_.Toggle(id);
  }
  if (hit.hovered) {
    FillRect(ui_, {x - ui_.px(2), box.y, width, box.h}, theme_.hover, ui_.px(4));
  }
  const std::string name = LegendName(line);
  if (name != line.name) DelayedTooltip(ui_, hit, line.name);
  const bool on = state_.shown(id);
  const float dash = ui_.px(legend_compact_ ? 7 : 11);
  FillRect(ui_, {x + ui_.px(1), y - ui_.px(1), dash, ui_.px(3)},
           {line.color, on ? line.alpha : 0.3f}, ui_.px(1.5f));
  TextMiddle(ui_, ui_.fonts.small, x + ui_.px(legend_compact_ ? 11 : 15), y,
             on ? theme_.muted : theme_.faint, name);
}

}  // namespace civita
