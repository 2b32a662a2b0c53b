#include <string>
#include <utility>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/plot_content.h"

namespace civita {

// The names of the axes, within the plot's area: a click opens the list of coordinates.
void DrawPathAxes(const Ui& ui, const Rect& area, const PlotChoice& choice, const PathView& view,
                  PathAxes* axes, std::string* filter) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  std::vector<ListItem> items = {{"Largest motion", "since the throw"}};
  for (const PlotChoice::Coordinate& each : choice.coordinates) {
    items.push_back({each.name, each.unit});
  }
  ImGui::PushID(choice.title.c_str());
  for (const bool is_x : {true, false}) {
    const PlotChoice::Coordinate& shown =
        choice.coordinates[static_cast<std::size_t>(is_x ? view.axes.x : view.axes.y)];
    const float name = TextWidth(ui.fonts.small, shown.name);
    const float width = name + TextWidth(ui.fonts.small, shown.unit) + ui.px(18);
    Rect r{area.x + ui.px(4), area.y + ui.px(2), width, ui.px(18)};
    if (is_x) {
      r.x = area.right() - ui.px(4) - width;
      r.y = area.bottom() - ui.px(2) - r.h;
    }
    const Hit hit = HitBox(is_x ? "x" : "y", r);
    FillRect(draw, r,
             ToImU32(hit.hovered ? ui.theme.hover : ui.theme.surface, hit.hovered ? 1 : 0.8f),
             ui.px(4));
    TextMiddle(ui, draw, ui.fonts.small, r.x + ui.px(5), r.middle_y(), ToImU32(ui.theme.text),
               shown.name);
    TextMiddle(ui, draw, ui.fonts.small, r.x + ui.px(10) + name, r.middle_y(),
               ToImU32(ui.theme.muted), shown.unit);
    DelayedTooltip(ui, hit, is_x ? "Coordinate along this axis" : "Coordinate up this axis");
    int* axis = is_x ? &axes->x : &axes->y;
    int selected = *axis + 1;
    if (ListBelow(ui, is_x ? "xs" : "ys", hit, items, &selected, r, filter)) {
      *axis = selected - 1;
      int* other = is_x ? &axes->y : &axes->x;
      if (*axis >= 0 && *other == *axis) *other = -1;
    }
  }
  ImGui::PopID();
}

}  // namespace civita
