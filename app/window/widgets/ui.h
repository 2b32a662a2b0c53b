#pragma once

#include <imgui.h>

#include <cmath>

#include "app/style/theme.h"

namespace civita {

/// A face at a size (ascent + descent) in device pixels.
struct Font {
  ImFont* face = nullptr;
  float px = 0;

  /// From the top of a line to its baseline, in whole pixels.
  float ascent() const { return std::floor(face->GetFontBaked(px)->Ascent + 0.5f); }
  bool operator==(const Font&) const = default;
};

/// The five fonts of the window; nominal sizes in logical pixels.
struct Fonts {
  Font tiny;    ///< 13: ticks, matrix cells, subscripts
  Font small;   ///< 14: units, legends, status
  Font body;    ///< 16
  Font strong;  ///< 16 semibold: titles, symbols
  Font large;   ///< 20 semibold
};

/// Context of every drawing function: palette, fonts and content scale. Passed as an argument, not
/// global, so that theme or scale can change between two frames.
struct Ui {
  Theme theme = kDarkTheme;
  Fonts fonts;
  float scale = 1.0f;
  ImDrawList* list = nullptr;  ///< on which is drawn; null: that of the current ImGui window

  /// Logical to device pixels, rounded; used for every length on the screen.
  float px(float logical) const { return std::floor(logical * scale + 0.5f); }
  /// Thickness of a hairline in device pixels.
  float hairline() const { return std::fmax(1.0f, std::floor(scale)); }
};

/// Converts 0xRRGGBB with opacity `alpha` in 0…1 to ImGui's colour.
constexpr ImU32 ToImU32(Rgb color, float alpha = 1.0f) {
  const auto opacity = static_cast<ImU32>(alpha * 255.0f + 0.5f);
  return (opacity << IM_COL32_A_SHIFT) | (((color >> 16) & 0xFFu) << IM_COL32_R_SHIFT) |
         (((color >> 8) & 0xFFu) << IM_COL32_G_SHIFT) | ((color & 0xFFu) << IM_COL32_B_SHIFT);
}

/// A colour with its opacity, as the functions that draw take it; a colour alone is opaque.
struct Ink {
  constexpr Ink(Rgb rgb, float opacity = 1)  // NOLINT(google-explicit-constructor)
      : color(rgb), alpha(opacity) {}

  Rgb color;
  float alpha;
};

/// Sets ImGui's style (scaled sizes, all colours) from the theme and scale. Call again when either
/// has changed.
void ApplyStyle(const Ui& ui);

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
