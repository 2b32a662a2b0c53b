#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/window/plot/painter.h"

namespace civita {
namespace {

constexpr int kMaxCardRows = 12;

// Index of the sample nearest to `t`; −1 when `t` is outside the trace.
int64_t NearestSample(const TraceBuffer& trace, double t) {
  if (trace.empty() || std::isnan(t)) return -1;
  const int64_t after = trace.LowerBound(t);
  if (after == trace.begin_index()) return trace.time(after) - t < 1e-2 ? after : -1;
  if (after == trace.end_index()) return t - trace.last_time() < 1e-2 ? after - 1 : -1;
  return t - trace.time(after - 1) < trace.time(after) - t ? after - 1 : after;
}

}  // namespace

void PlotPainter::DrawCursor() {
  DrawPlayhead();
  const bool is_first = hovered_ && std::isnan(axis_.cursor());
  const double t = is_first ? mapping_.TimeAt(ImGui::GetIO().MousePos.x) : axis_.cursor();
  if (!(t >= axis_.t0() && t <= axis_.t1())) return;
  VerticalLine(t, theme_.text, 0.55f);
  for (size_t i = spec_.lines.size(); i-- > 0;) {
    const PlotLine& line = spec_.lines[i];
    const int64_t sample = Shown(i) ? NearestSample(*line.trace, t) : -1;
    if (sample < 0) continue;
    mapping_.scale = line.scale;
    const float y = mapping_.Y(line.trace->value(sample, line.channel));
    mapping_.scale = 1;
    if (!(y >= area_.y && y <= area_.bottom())) continue;
    const ImVec2 center(std::floor(mapping_.X(t)) + 0.5f * ui_.hairline(), y);
    FillCircle(ui_, center, ui_.px(3.5f), theme_.surface);
    FillCircle(ui_, center, ui_.px(2.5f), line.ink());
  }
}

// What comes after the time of the shown state is there, but fades.
void PlotPainter::DrawPlayhead() {
  constexpr float kFade = 0.55f;
  if (!(axis_.shown <= axis_.t1())) return;
  const float x = std::max(std::floor(mapping_.X(axis_.shown)), area_.x);
  FillRect(ui_, {x, area_.y, area_.right() - x, area_.h}, {theme_.surface, kFade});
  if (axis_.shown < axis_.t0()) return;
  FillRect(ui_, {x, area_.y - ui_.px(5), ui_.px(2), area_.h + ui_.px(5)}, theme_.accent);
  FillCircle(ui_, ImVec2(x + ui_.px(1), area_.y - ui_.px(5)), ui_.px(3.5f), theme_.accent);
}

std::string PlotPainter::ValueText(const PlotLine& line, int64_t sample) const {
  const double v = line.scale * line.trace->value(sample, line.channel);
  if (spec_.log) return Scientific(v);
  // In the title's unit, with one digit more than the ticks.
  const double power = std::pow(10.0, CommonExponent(limits_));
  const int decimals = std::max(spec_.decimals, DecimalsOf(limits_.step / power) + 1);
  return Fixed(v / power, decimals, 0, spec_.sign);
}

// Texts of the marks under the pointer.
std::vector<std::string_view> PlotPainter::MarksAtPointer() const {
  std::vector<std::string_view> texts;
  const float x = ImGui::GetIO().MousePos.x, reach = ui_.px(5);
  for (const PlotMark& mark : spec_.marks) {
    const bool strip = mark.kind == PlotMark::Kind::kSaturation;
    const float a = mapping_.X(mark.t) - reach, b = mapping_.X(strip ? mark.t_end : mark.t) + reach;
    if (x >= a && x <= b && !mark.text.empty() && texts.size() < 4) texts.push_back(mark.text);
  }
  return texts;
}

// Computes the figures of the selected stretch. Returns whether the time is in it.
bool PlotPainter::UpdateFigures(double t) {
  if (!(t >= spec_.selected_from && t <= spec_.selected_to)) return false;
  std::vector<int64_t> of;
  for (const PlotLine& line : spec_.lines) {
    of.insert(of.end(), {line.trace->content(), line.trace->LowerBound(spec_.selected_from),
                         line.trace->LowerBound(spec_.selected_to), line.channel});
  }
  if (of == state_.figures_of_) return true;
  state_.figures_.clear();
  for (std::size_t i = 0; i < spec_.lines.size(); ++i) {
    const PlotLine& line = spec_.lines[i];
    state_.figures_.push_back(
        CalcLineFigures(*line.trace, line.channel, line.scale, of[4 * i + 1], of[4 * i + 2]));
  }
  state_.figures_of_ = std::move(of);
  return true;
}

std::string PlotPainter::FiguresText(const LineFigures& figures) const {
  const double power = spec_.log ? 1 : std::pow(10.0, CommonExponent(limits_));
  const int decimals =
      std::max(spec_.decimals, spec_.log ? 0 : DecimalsOf(limits_.step / power) + 1);
  const auto shown = [&](double x) {
    return spec_.log ? Scientific(x) : Fixed(x / power, decimals);
  };
  return shown(figures.rms) + ", peak " + shown(figures.peak) + ", mean " + shown(figures.mean);
}

PlotPainter::CardContent PlotPainter::ContentAt(double t) {
  CardContent content;
  content.head = "t = " + Fixed(t, DecimalsOf(axis_.length() / 1e4)) + " s";
  content.is_selected = UpdateFigures(t);
  if (content.is_selected) {
    content.head =
        "RMS, " + Fixed(spec_.selected_from, 3) + " to " + Fixed(spec_.selected_to, 3) + " s";
  }
  content.texts = MarksAtPointer();
  for (size_t i = 0; i < spec_.lines.size(); ++i) {
    const PlotLine& line = spec_.lines[i];
    const int64_t sample = Shown(i) ? NearestSample(*line.trace, t) : -1;
    if (sample < 0 || !line.is_named()) continue;
    content.rows.push_back(
        {&line, content.is_selected ? FiguresText(state_.figures_[i]) : ValueText(line, sample)});
    content.name_width = std::max(content.name_width, TextWidth(ui_.fonts.small, line.name));
    content.value_width =
        std::max(content.value_width, TextWidth(ui_.fonts.small, content.rows.back().value));
  }
  const int count = static_cast<int>(content.rows.size());
  content.columns = std::max(1, (count + kMaxCardRows - 1) / kMaxCardRows);
  content.height = (count + content.columns - 1) / content.columns;
  return content;
}

// Beside the pointer, within the plot's width if it fits, and always on the screen; that of a
// selected stretch beside the plot if there is room, for it is as wide as most plots.
Rect PlotPainter::PlaceCard(const CardContent& content) const {
  const ImGuiIO& io = ImGui::GetIO();
  const float pad = 2 * ui_.px(10);
  Rect card;
  card.w = static_cast<float>(content.columns) * (ColumnWidth(content) + pad);
  card.w = std::max(card.w, TextWidth(ui_.fonts.small, content.head) + pad);
  for (const std::string_view text : content.texts) {
    card.w = std::max(card.w, TextWidth(ui_.fonts.small, text) + pad);
  }
  const int rows = content.height + 1 + static_cast<int>(content.texts.size());
  card.h = ui_.px(14) + ui_.px(18) * static_cast<float>(rows);
  card.x = std::floor(io.MousePos.x) + ui_.px(12);
  if (card.right() > frame_.right()) card.x = std::floor(io.MousePos.x) - ui_.px(12) - card.w;
  if (content.is_selected) {
    const float left = frame_.x - ui_.px(4) - card.w, right = frame_.right() + ui_.px(4);
    if (left >= ui_.px(4)) {
      card.x = left;
    } else if (right + card.w <= io.DisplaySize.x - ui_.px(4)) {
      card.x = right;
    }
  }
  card.x = std::max(card.x, ui_.px(4));
  const float lowest = std::max(ui_.px(52), io.DisplaySize.y - card.h - ui_.px(34));
  card.y = std::floor(std::clamp(io.MousePos.y - 0.5f * card.h, ui_.px(52), lowest));
  return card;
}

float PlotPainter::ColumnWidth(const CardContent& content) const {
  return ui_.px(33) + content.name_width + content.value_width;
}

void PlotPainter::DrawCardRow(const Ui& over, const CardRow& row, float x, float y, float w) {
  FillRect(over, {x, y - ui_.px(1), ui_.px(10), ui_.px(3)}, row.line->ink(), ui_.px(1.5f));
  TextMiddle(over, ui_.fonts.small, x + ui_.px(17), y, theme_.text, row.line->name);
  TextMiddle(over, ui_.fonts.small, x + w, y, theme_.text, row.value, Align::kRight);
}

// Draws the values at the pointer; more than kMaxCardRows lines are laid out in columns.
void PlotPainter::DrawCard() {
  const CardContent content = ContentAt(mapping_.TimeAt(ImGui::GetIO().MousePos.x));
  const Rect card = PlaceCard(content);
  const float pad = ui_.px(10), step = ui_.px(18);
  const Ui over = Above(ui_);
  DrawFloating(over, card, theme_.popup, theme_.dark ? theme_.strong : theme_.border, 8);
  float y = card.y + ui_.px(16);
  TextMiddle(over, ui_.fonts.small, card.x + pad, y, theme_.muted, content.head);
  for (const std::string_view text : content.texts) {
    y += step;
    TextMiddle(over, ui_.fonts.small, card.x + pad, y, theme_.muted, text);
  }
  const float column = ColumnWidth(content);
  const float w = content.columns == 1 ? card.w - 2 * pad : column;
  for (size_t i = 0; i < content.rows.size(); ++i) {
    const int index = static_cast<int>(i);
    const int column_index = index / content.height, row_index = index % content.height;
    const float x = card.x + pad + static_cast<float>(column_index) * (column + 2 * pad);
    DrawCardRow(over, content.rows[i], x, y + step * static_cast<float>(row_index + 1), w);
  }
}

}  // namespace civita
