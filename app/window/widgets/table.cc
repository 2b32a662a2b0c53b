#include "app/window/widgets/table.h"

#include <algorithm>

namespace civita {
namespace {

constexpr float kGap = 10;  // between two columns, logical pixels

Font FontOr(const Font& font, const Font& usual) { return font.face != nullptr ? font : usual; }

}  // namespace

TableColumns FitTwo(const Ui& ui, const std::vector<TableRow>& rows, float width, float most) {
  float longest = 0;
  for (const TableRow& row : rows) {
    const Font font = FontOr(row.font, ui.fonts.body);
    for (const std::string& value : row.values) longest = std::max(longest, TextWidth(font, value));
  }
  longest = std::min(longest, most * width);
  return {.rights = {width - longest - ui.px(kGap), width}, .longest = longest};
}

TableColumns EvenColumns(const Ui& ui, std::size_t count, float each, float right, float names) {
  TableColumns columns{.row = 24};
  for (std::size_t i = 0; i < count; ++i) {
    columns.rights.push_back(right - static_cast<float>(count - 1 - i) * ui.px(each));
  }
  columns.names = columns.rights.front() - ui.px(each - names);
  return columns;
}

Hit DrawTableRow(Column* column, const TableColumns& columns, const TableRow& row) {
  const Ui& ui = column->ui;
  const Rect r = column->Box(columns.row);
  column->Skip(columns.row);
  const Font font = row.is_head ? ui.fonts.small : FontOr(row.font, ui.fonts.body);
  const Font name_font = FontOr(row.name_font, ui.fonts.small);
  const float unit = row.unit.empty() ? 0 : ui.px(6) + TextWidth(ui.fonts.small, row.unit);
  float limit = columns.names;
  if (limit == 0) {
    const float first = row.is_text ? columns.longest : TextWidth(font, row.values.front());
    limit = columns.rights.front() - first - ui.px(kGap);
  }
  const float x = r.x + row.indent;
  limit += r.x - unit;
  const bool is_cut = TextWidth(name_font, row.name) > limit - x;
  const std::string_view tip = row.tip.empty() && is_cut ? row.name : row.tip;
  Hit hit;
  if (row.is_choice || !tip.empty()) {
    const std::string id(row.id.empty() ? row.name : row.id);
    hit = HitBox(id.c_str(), r, row.is_choice ? Reach::kKeys : Reach::kMouse);
  }
  if (row.is_on || (row.is_choice && hit.hovered)) {
    FillRect(ui, {r.x - ui.px(6), r.y, r.w + ui.px(12), r.h},
             row.is_on ? ui.theme.raised : ui.theme.hover);
  }
  DelayedTooltip(ui, hit, tip);
  const float end = NameClipped(ui, name_font, x, r.middle_y(), limit,
                                row.is_head ? ui.theme.muted : ui.theme.text, row.name);
  TextMiddle(ui, ui.fonts.small, end + ui.px(6), r.middle_y(), ui.theme.muted, row.unit);
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const float right = r.x + columns.rights[i];
    const std::string value = row.is_text
                                  ? ShortenedName(font, columns.longest + ui.px(1), row.values[i])
                                  : row.values[i];
    TextMiddle(ui, font, right, r.middle_y(),
               row.is_head || row.is_muted ? ui.theme.muted : ui.theme.text, value, Align::kRight);
  }
  return hit;
}

}  // namespace civita
