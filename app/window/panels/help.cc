#include <algorithm>
#include <cmath>

#include "app/window/actions/action_table.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

constexpr float kColumn = 330, kColumnGap = 32, kRow = 26, kTitle = 28, kGroupGap = 22;

float GroupHeight(const Ui& ui, const KeyGroup& group) {
  return ui.px(kTitle) + static_cast<float>(group.rows.size()) * ui.px(kRow) + ui.px(kGroupGap);
}

// Fills columns from the left; returns the height of the tallest.
float LayOut(const Ui& ui, const std::vector<KeyGroup>& groups, const Rect& area, int columns,
             bool draw) {
  float total = 0;
  for (const KeyGroup& group : groups) total += GroupHeight(ui, group);
  const float target = total / static_cast<float>(columns);
  float x = area.x, y = area.y, highest = 0;
  int column = 0;
  for (const KeyGroup& group : groups) {
    const float height = GroupHeight(ui, group);
    if (y > area.y && y - area.y + 0.5f * height > target && column + 1 < columns) {
      ++column;
      x += ui.px(kColumn + kColumnGap);
      y = area.y;
    }
    if (draw) KeyTable(ui, x, y, ui.px(kColumn), group.title, group.rows);
    y += height;
    highest = std::max(highest, y - area.y);
  }
  return highest - ui.px(kGroupGap);
}

}  // namespace

void DrawHelp(WindowState* state, float width, float height) {
  if (!state->is_help_open) return;
  const Ui& ui = state->ui;
  const std::vector<KeyGroup> groups = KeyGroups();
  const float pad = ui.px(kSheetPad);
  int columns = 3;
  const auto sheet_width = [&](int n) {
    return static_cast<float>(n) * ui.px(kColumn) + static_cast<float>(n - 1) * ui.px(kColumnGap) +
           2 * pad;
  };
  while (columns > 1 && sheet_width(columns) > width - ui.px(32)) --columns;
  const float body = LayOut(ui, groups, {}, columns, false);
  const float wanted = body + ui.px(64) + pad;
  const Rect sheet{std::floor(0.5f * (width - sheet_width(columns))),
                   std::floor(std::max(ui.px(16), 0.5f * (height - wanted))), sheet_width(columns),
                   std::min(wanted, height - ui.px(32))};
  if (BeginSheet(ui, "help", width, height, sheet, "Keys and mouse")) state->is_help_open = false;
  if (Button(ui, "tour", "Take the tour",
             {sheet.right() - pad - ui.px(160), sheet.y + ui.px(18), ui.px(124), ui.px(32)})) {
    state->is_help_open = false;
    state->tour.Go(0);
  }
  const float top = sheet.y + ui.px(64);
  const ImVec2 origin = BeginScroll(
      ui, "keys", {sheet.x + pad, top, sheet.w - pad - ui.px(4), sheet.bottom() - top - ui.px(4)});
  LayOut(ui, groups, {origin.x, origin.y, 0, 0}, columns, true);
  EndScroll(origin.y + body + ui.px(4));
  if (IsClickedBeside(sheet)) state->is_help_open = false;
  ImGui::End();
}

}  // namespace civita
