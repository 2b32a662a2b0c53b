#pragma once

#include <imgui.h>

#include "app/window/widgets/ui.h"

namespace civita {

/// Padding and colours of tooltips and pop-up lists.
class PopupStyle {
 public:
  PopupStyle(const Ui& ui, float pad_x, float pad_y) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(pad_x), ui.px(pad_y)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(8));
    ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, ui.px(8));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, ui.hairline());
    ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, ui.hairline());
    ImGui::PushStyleColor(ImGuiCol_Border, ToImU32(ui.theme.selected_border));
  }
  ~PopupStyle() {
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(5);
  }
  PopupStyle(const PopupStyle&) = delete;
  PopupStyle& operator=(const PopupStyle&) = delete;
};

}  // namespace civita
