#include "app/window/widgets/ui.h"

namespace civita {
namespace {

// Of what ImGui draws itself: text fields, pop-ups, scrollbars and the ring of the keyboard.
void SetColors(const Theme& theme, ImGuiStyle* style) {
  const auto set = [style](ImGuiCol slot, Rgb color, float alpha = 1.0f) {
    style->Colors[slot] = ImGui::ColorConvertU32ToFloat4(ToImU32(color, alpha));
  };
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.muted);
  set(ImGuiCol_WindowBg, theme.background);
  set(ImGuiCol_ChildBg, theme.surface, 0.0f);
  set(ImGuiCol_PopupBg, theme.popup);
  set(ImGuiCol_Border, theme.border);
  set(ImGuiCol_ScrollbarBg, theme.surface, 0.0f);
  set(ImGuiCol_ScrollbarGrab, theme.strong);
  set(ImGuiCol_ScrollbarGrabHovered, theme.faint);
  set(ImGuiCol_ScrollbarGrabActive, theme.muted);
  set(ImGuiCol_NavCursor, theme.accent);
  set(ImGuiCol_TextSelectedBg, theme.accent, 0.3f);
}

}  // namespace

void ApplyStyle(const Ui& ui) {
  ImGuiStyle style;
  style.WindowPadding = ImVec2(0, 0);
  style.WindowBorderSize = 0;
  style.FrameRounding = 6;
  style.PopupRounding = 8;
  style.ScrollbarRounding = 4;
  style.ScrollbarSize = 8;
  style.ItemSpacing = ImVec2(8, 8);
  style.FramePadding = ImVec2(10, 7);
  style.ScaleAllSizes(ui.scale);
  SetColors(ui.theme, &style);
  ImGui::GetStyle() = style;
}

}  // namespace civita
