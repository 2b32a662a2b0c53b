#include <algorithm>
#include <string>

#include "app/window/panels/panels.h"

namespace civita {
namespace {

constexpr float kJobRow = 22, kJobHeading = 30;  // logical pixels
constexpr float kJobGap = 20, kLeastName = 120, kBarWidth = 130;

// Where the columns of the table end.
struct JobColumns {
  float name = 0;             ///< width of the names
  std::vector<float> rights;  ///< of the cells that fit
  float bar = 0;              ///< left of the bars
};

float JobNameWidth(const Ui& ui, const JobTable::Row& row) {
  const float unit = row.unit.empty() ? 0 : ui.px(6) + TextWidth(ui.fonts.small, row.unit);
  return TextWidth(ui.fonts.body, row.name) + unit;
}

JobColumns LayOutJob(const Ui& ui, const JobTable& table, float x, float width) {
  JobColumns columns;
  for (const JobTable::Row& row : table.rows) {
    columns.name = std::max(columns.name, JobNameWidth(ui, row));
  }
  columns.name = std::clamp(columns.name, ui.px(kLeastName), 0.45f * width);
  const float bar = table.bars.empty() ? 0 : ui.px(kBarWidth) + ui.px(kJobGap);
  float right = x + columns.name;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    float cell = std::min(TextWidth(ui.fonts.strong, table.columns[i]), ui.px(120));
    for (const JobTable::Row& row : table.rows) {
      cell =
          std::max(cell, TextWidth(row.is_apart ? ui.fonts.strong : ui.fonts.body, row.cells[i]));
    }
    right += ui.px(kJobGap) + cell;
    if (right > x + width - bar) break;
    columns.rights.push_back(right);
  }
  columns.bar = (columns.rights.empty() ? right : columns.rights.back()) + ui.px(kJobGap);
  return columns;
}

// A filled bar with a whisker over the interval.
void DrawJobBar(const Ui& ui, const JobTable::Bar& bar, const Rect& r) {
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

void DrawJobHead(const Ui& ui, const JobTable& table, const JobColumns& columns, float x,
                 float width, float middle) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  float left = x + columns.name;
  for (std::size_t i = 0; i < columns.rights.size(); ++i) {
    const float right = columns.rights[i], room = right - left - ui.px(8);
    const float title = TextWidth(ui.fonts.small, table.columns[i]);
    TextClipped(ui, draw, ui.fonts.small, right - std::min(title, room), middle, right,
                ToImU32(ui.theme.muted), table.columns[i]);
    left = right;
  }
  const std::size_t hidden = table.columns.size() - columns.rights.size();
  const std::string rest =
      hidden == 0 ? table.bars : "and " + std::to_string(hidden) + " more in the report";
  TextClipped(ui, draw, ui.fonts.small, columns.bar, middle, x + width, ToImU32(ui.theme.muted),
              rest);
}

void DrawJobRow(const Ui& ui, const JobTable::Row& row, const JobColumns& columns, float x,
                float y) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = y + 0.5f * ui.px(kJobRow);
  const float end = TextClipped(ui, draw, ui.fonts.body, x, middle, x + columns.name,
                                ToImU32(ui.theme.text), row.name);
  TextClipped(ui, draw, ui.fonts.small, end + ui.px(6), middle, x + columns.name + ui.px(8),
              ToImU32(ui.theme.muted), row.unit);
  for (std::size_t i = 0; i < columns.rights.size(); ++i) {
    TextMiddle(ui, draw, row.is_apart ? ui.fonts.strong : ui.fonts.body, columns.rights[i], middle,
               ToImU32(ui.theme.text), row.cells[i], Align::kRight);
  }
  if (row.bar) DrawJobBar(ui, *row.bar, {columns.bar, y, ui.px(kBarWidth), ui.px(kJobRow)});
}

}  // namespace

float DrawJobTable(const Ui& ui, const JobTable& table, float x, float y, float width) {
  const JobColumns columns = LayOutJob(ui, table, x, width);
  const float begin = y;
  DrawJobHead(ui, table, columns, x, width, y + 0.5f * ui.px(kJobRow));
  y += ui.px(kJobRow + 4);
  DrawRule(ui, ImGui::GetWindowDrawList(), x, x + width, y);
  y += ui.px(6);
  for (const JobTable::Row& row : table.rows) {
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
