#include <algorithm>
#include <string>

#include "app/window/panels/panels.h"

namespace civita {
namespace {

constexpr float kJobRow = 22, kJobHeading = 30;  // logical pixels
constexpr float kJobGap = 20, kLeastName = 120, kBarWidth = 130;

// Where the columns of the table end that are shown.
struct JobColumns {
  float name = 0;  ///< width of the names
  struct Column {
    std::size_t index;  ///< in the table
    float right;
  };
  std::vector<Column> columns;  ///< that fit
  std::size_t hidden = 0;       ///< how many do not, and details
  float bar = 0;                ///< left of the bars
};

std::string JobCellText(const Table::Row& row, std::size_t column) {
  return CellText(row.cells[column], TypesetEstimate);
}

float JobNameWidth(const Ui& ui, const Table::Row& row) {
  const float unit = row.unit.empty() ? 0 : ui.px(6) + TextWidth(ui.fonts.small, row.unit);
  return TextWidth(ui.fonts.body, row.name) + unit;
}

JobColumns LayOutJob(const Ui& ui, const Table& table, float x, float width) {
  JobColumns columns;
  for (const Table::Row& row : table.rows) {
    columns.name = std::max(columns.name, JobNameWidth(ui, row));
  }
  columns.name = std::clamp(columns.name, ui.px(kLeastName), 0.45f * width);
  const float bar = table.bars.empty() ? 0 : ui.px(kBarWidth) + ui.px(kJobGap);
  float right = x + columns.name;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].is_detail) continue;
    float cell = std::min(TextWidth(ui.fonts.strong, table.columns[i].title), ui.px(120));
    for (const Table::Row& row : table.rows) {
      cell = std::max(
          cell, TextWidth(row.is_apart ? ui.fonts.strong : ui.fonts.body, JobCellText(row, i)));
    }
    right += ui.px(kJobGap) + cell;
    if (right > x + width - bar) break;
    columns.columns.push_back({i, right});
  }
  columns.hidden = table.columns.size() - columns.columns.size();
  columns.bar = (columns.columns.empty() ? right : columns.columns.back().right) + ui.px(kJobGap);
  return columns;
}

// A filled bar with a whisker over the interval.
void DrawJobBar(const Ui& ui, const Table::Bar& bar, const Rect& r) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto at = [&](double share) {
    return std::floor(r.x + r.w * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  };
  const float middle = std::floor(r.middle_y()), thick = ui.px(8), tick = ui.px(4);
  FillRect(draw, {r.x, middle - 0.5f * thick, r.w, thick}, ToImU32(ui.theme.track), ui.px(2));
  FillRect(draw, {r.x, middle - 0.5f * thick, at(bar.value) - r.x, thick}, ToImU32(ui.theme.accent),
           ui.px(2));
  const float low = at(bar.low), high = at(bar.high), hair = ui.hairline();
  const ImU32 ink = ToImU32(ui.theme.text);
  FillRect(draw, {low, middle, high - low, hair}, ink);
  for (const float end : {low, high}) FillRect(draw, {end, middle - tick, hair, 2 * tick}, ink);
}

void DrawJobHead(const Ui& ui, const Table& table, const JobColumns& columns, float x, float width,
                 float middle) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  float left = x + columns.name;
  for (const auto& [index, right] : columns.columns) {
    const std::string& text = table.columns[index].title;
    const float room = right - left - ui.px(8), title = TextWidth(ui.fonts.small, text);
    TextClipped(ui, draw, ui.fonts.small, right - std::min(title, room), middle, right,
                ToImU32(ui.theme.muted), text);
    left = right;
  }
  const std::string rest = !table.bars.empty() ? table.bars
                           : columns.hidden > 0
                               ? "and " + std::to_string(columns.hidden) + " more in the report"
                               : "";
  TextClipped(ui, draw, ui.fonts.small, columns.bar, middle, x + width, ToImU32(ui.theme.muted),
              rest);
}

void DrawJobRow(const Ui& ui, const Table::Row& row, const JobColumns& columns, float x, float y) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = y + 0.5f * ui.px(kJobRow);
  const float end = TextClipped(ui, draw, ui.fonts.body, x, middle, x + columns.name,
                                ToImU32(ui.theme.text), row.name);
  TextClipped(ui, draw, ui.fonts.small, end + ui.px(6), middle, x + columns.name + ui.px(8),
              ToImU32(ui.theme.muted), row.unit);
  for (const auto& [index, right] : columns.columns) {
    TextMiddle(ui, draw, row.is_apart ? ui.fonts.strong : ui.fonts.body, right, middle,
               ToImU32(ui.theme.text), JobCellText(row, index), Align::kRight);
  }
  if (row.bar) DrawJobBar(ui, *row.bar, {columns.bar, y, ui.px(kBarWidth), ui.px(kJobRow)});
}

}  // namespace

float DrawJobTable(const Ui& ui, const Table& table, float x, float y, float width) {
  const JobColumns columns = LayOutJob(ui, table, x, width);
  const float begin = y;
  DrawJobHead(ui, table, columns, x, width, y + 0.5f * ui.px(kJobRow));
  y += ui.px(kJobRow + 4);
  DrawRule(ui, ImGui::GetWindowDrawList(), x, x + width, y);
  y += ui.px(6);
  for (const Table::Row& row : table.rows) {
    if (!row.heading.empty()) {
      SectionLabel(ui, x, y + 0.5f * ui.px(kJobHeading), row.heading);
      y += ui.px(kJobHeading);
    }
    DrawJobRow(ui, row, columns, x, y);
    y += ui.px(kJobRow);
  }
  return y - begin;
}

}  // namespace civita
