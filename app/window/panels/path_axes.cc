#include <string>
#include <string_view>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/plot/plot_content.h"

namespace civita {

void DrawPathAxes(const Ui& ui, const Rect& frame, const PlotChoice& choice, const PlotPath& path,
                  PathAxes* axes, std::string* filter) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  std::vector<ListItem> items = {{"Largest motion", "since the throw"}};
  for (const PlotChoice::Coordinate& each : choice.coordinates) {
    items.push_back({each.name, each.unit});
  }
  ImGui::PushID(choice.title.c_str());
  for (const bool is_x : {true, false}) {
    const PathAxisLabel label(ui, frame, choice.title, path, is_x);
    const Rect& r = label.rect;
    const Hit hit = HitBox(is_x ? "x" : "y", r);
    if (hit.hovered) FillRect(draw, r, ToImU32(ui.theme.hover), ui.px(4));
    TextMiddle(ui, draw, ui.fonts.small, r.x + ui.px(5), r.middle_y(), ToImU32(ui.theme.text),
               label.name);
    TextMiddle(ui, draw, ui.fonts.small, label.unit_x, r.middle_y(), ToImU32(ui.theme.muted),
               label.unit);
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
