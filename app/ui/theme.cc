#include "app/ui/theme.h"

#include <algorithm>

namespace civita {
namespace {

constexpr Rgb kBlack = 0x000000;
constexpr Rgb kWhite = 0xFFFFFF;

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
  set(ImGuiCol_BorderShadow, theme.border, 0.0f);
  set(ImGuiCol_FrameBg, theme.raised);
  set(ImGuiCol_FrameBgHovered, theme.hover);
  set(ImGuiCol_FrameBgActive, theme.hover);
  set(ImGuiCol_Button, theme.raised);
  set(ImGuiCol_ButtonHovered, theme.hover);
  set(ImGuiCol_ButtonActive, theme.hover);
  set(ImGuiCol_Header, theme.hover);
  set(ImGuiCol_HeaderHovered, theme.hover);
  set(ImGuiCol_HeaderActive, theme.hover);
  set(ImGuiCol_CheckMark, theme.accent);
  set(ImGuiCol_ScrollbarBg, theme.surface, 0.0f);
  set(ImGuiCol_ScrollbarGrab, theme.strong);
  set(ImGuiCol_ScrollbarGrabHovered, theme.faint);
  set(ImGuiCol_ScrollbarGrabActive, theme.muted);
  set(ImGuiCol_NavHighlight, theme.accent);
  set(ImGuiCol_TextSelectedBg, theme.accent, 0.3f);
  set(ImGuiCol_ModalWindowDimBg, theme.scrim, theme.scrim_alpha);
}

}  // namespace

Rgb Mix(Rgb a, Rgb b, float t) {
  Rgb mixed = 0;
  for (unsigned shift = 0; shift < 24; shift += 8) {
    const auto from = static_cast<float>((a >> shift) & 0xFFu);
    const auto to = static_cast<float>((b >> shift) & 0xFFu);
    mixed |= static_cast<Rgb>(from * (1.0f - t) + to * t + 0.5f) << shift;
  }
  return mixed;
}

float Luminance(Rgb color) {
  const auto linear = [](float c) {
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
  };
  const std::array<float, 3> c = ToFloats(color);
  return 0.2126f * linear(c[0]) + 0.7152f * linear(c[1]) + 0.0722f * linear(c[2]);
}

float Contrast(Rgb a, Rgb b) {
  const float la = Luminance(a);
  const float lb = Luminance(b);
  return (std::max(la, lb) + 0.05f) / (std::min(la, lb) + 0.05f);
}

Rgb ReadableInk(Rgb background) {
  return Contrast(background, kBlack) > Contrast(background, kWhite) ? kBlack : kWhite;
}

Rgb HeatColor(const Theme& theme, float unit) {
  const float strength = std::pow(std::min(1.0f, std::fabs(unit)), 0.8f);
  return Mix(theme.heat_zero, unit < 0.0f ? theme.heat_minus : theme.heat_plus, strength);
}

void ApplyStyle(const Ui& ui) {
  ImGuiStyle style;
  style.WindowPadding = ImVec2(0, 0);
  style.WindowBorderSize = 0;
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.FrameRounding = 6;
  style.GrabRounding = 6;
  style.PopupRounding = 8;
  style.PopupBorderSize = 1;
  style.ScrollbarRounding = 4;
  style.ScrollbarSize = 8;
  style.ItemSpacing = ImVec2(8, 8);
  style.FramePadding = ImVec2(10, 7);
  style.ScaleAllSizes(ui.scale);
  SetColors(ui.theme, &style);
  ImGui::GetStyle() = style;
}

}  // namespace civita
