#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace civita {

/// A colour as 0xRRGGBB, sRGB.
using Rgb = std::uint32_t;

/// Roles of the palette. The interface is neutral and colour is reserved for data: the accent is
/// the colour of the first run (series[0]), series[1] that of the second run. Text has a contrast
/// of at least 4.5:1 on its surfaces; series have at least 3:1 and are distinguishable by
/// colour-blind users.
struct Theme {
  bool dark;
  Rgb background, surface, raised, hover, popup;
  Rgb border, strong;  ///< hairlines; stronger outlines and scrollbar grabs
  Rgb text, muted, faint;
  Rgb accent, accent_ink;  ///< accent, and text on it
  Rgb warn, error, ok;
  Rgb grid, axis;                 ///< lines of a plot; its zero line and frame
  Rgb track, thumb, stop;         ///< a slider's track, thumb and named stops
  Rgb selected, selected_border;  ///< selected cell of a segmented control
  Rgb scrim;                      ///< shade behind a modal sheet, with opacity `scrim_alpha`
  float scrim_alpha, tint_alpha;  ///< tint_alpha: accent behind a toggled icon or selected pill
  float shadow_alpha;             ///< drop shadows
  Rgb heat_zero, heat_minus, heat_plus;  ///< diverging map: neutral, negative, positive
  std::array<Rgb, 8> series;
  Rgb view_top, view_horizon, floor, floor_line;  ///< 3-D scene, as rendered
  Rgb shell, joint;                               ///< robot's shells and joints
  Rgb reference, push;                            ///< dashes of the reference, arrow of a push
};

/// The colours of the roles in the dark and in the light theme.
struct ThemeColor {
  Rgb Theme::*role;
  Rgb dark, light;
};
inline constexpr ThemeColor kThemeColors[] = {
    {&Theme::background, 0x0C0F13, 0xE9ECF0}, {&Theme::surface, 0x14181E, 0xFFFFFF},
    {&Theme::raised, 0x1D232B, 0xF1F3F6},     {&Theme::hover, 0x272E38, 0xE6E9EE},
    {&Theme::popup, 0x222933, 0xFFFFFF},      {&Theme::border, 0x252C35, 0xDDE1E7},
    {&Theme::strong, 0x465161, 0xB6BECA},     {&Theme::text, 0xE8EBF0, 0x161B22},
    {&Theme::muted, 0xA3ACB9, 0x535D6C},      {&Theme::faint, 0x7F8998, 0x69737F},
    {&Theme::accent, 0x6FB0FE, 0x0162B9},     {&Theme::accent_ink, 0x08182B, 0xFFFFFF},
    {&Theme::warn, 0xF5BE5B, 0x8A5700},       {&Theme::error, 0xFF8A80, 0xB3261E},
    {&Theme::ok, 0x62D3A4, 0x18724A},         {&Theme::grid, 0x20262F, 0xECEFF3},
    {&Theme::axis, 0x323B47, 0xC9D0D9},       {&Theme::track, 0x2B333E, 0xDADFE6},
    {&Theme::thumb, 0xF2F4F8, 0xFFFFFF},      {&Theme::stop, 0x5B6778, 0xA9B2BF},
    {&Theme::selected, 0x2C3543, 0xFFFFFF},   {&Theme::selected_border, 0x3C4757, 0xC9D0D9},
    {&Theme::scrim, 0x05070A, 0x2A323D},      {&Theme::heat_zero, 0x1F252E, 0xF4F6F8},
    {&Theme::heat_minus, 0x3F8DEB, 0x1F74C8}, {&Theme::heat_plus, 0xE8912A, 0xD0761A},
    {&Theme::view_top, 0x0E1217, 0xBCC7D2},   {&Theme::view_horizon, 0x1F2530, 0xDCDFE4},
    {&Theme::floor, 0x232A34, 0xF2F5F8},      {&Theme::floor_line, 0x343E4B, 0xD6DCE3},
    {&Theme::shell, 0xE6E9EE, 0xFBFBFC},      {&Theme::joint, 0x292E36, 0x333942},
    {&Theme::reference, 0xC8CFDA, 0x5A6573},  {&Theme::push, 0xF9DC7A, 0xC2410C},
};

constexpr Theme MakeTheme(bool dark) {
  Theme theme{};
  theme.dark = dark;
  for (const ThemeColor& color : kThemeColors) theme.*color.role = dark ? color.dark : color.light;
  theme.scrim_alpha = dark ? 0.68f : 0.38f;
  theme.tint_alpha = dark ? 0.18f : 0.12f;
  theme.shadow_alpha = dark ? 0.35f : 0.10f;
  constexpr std::array<Rgb, 8> kDarkSeries = {0x6FB0FE, 0xEBA23A, 0x58DCBB, 0xAE6E97,
                                              0xF9DC7A, 0x6B80ED, 0xDF5C42, 0xAAA3A6};
  constexpr std::array<Rgb, 8> kLightSeries = {0x0162B9, 0xB25A00, 0x06A287, 0x6F2F69,
                                               0xA98D00, 0x7F79C4, 0x8C1513, 0x6C6567};
  theme.series = dark ? kDarkSeries : kLightSeries;
  return theme;
}

inline constexpr Theme kDarkTheme = MakeTheme(true), kLightTheme = MakeTheme(false);

/// Channels in 0…1, sRGB-encoded as given.
constexpr std::array<float, 3> ToFloats(Rgb color) {
  return {static_cast<float>((color >> 16) & 0xFFu) / 255.0f,
          static_cast<float>((color >> 8) & 0xFFu) / 255.0f,
          static_cast<float>(color & 0xFFu) / 255.0f};
}

/// "#0A7BFF"
std::string Hex(Rgb color);

/// (1 − t)·a + t·b, channel by channel.
Rgb Mix(Rgb a, Rgb b, float t);

/// Relative luminance (WCAG), 0…1.
float Luminance(Rgb color);

/// Contrast ratio (WCAG), 1…21.
float Contrast(Rgb a, Rgb b);

/// Black or white, whichever has more contrast on `background`: at least 4.58:1 on any.
Rgb ReadableInk(Rgb background);

/// Blue – neutral – orange for `unit` in −1…1 (clamped); |unit|^0.8 so that small values show.
Rgb HeatColor(const Theme& theme, float unit);

}  // namespace civita
