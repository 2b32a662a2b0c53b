#pragma once

#include <array>
#include <cstdint>

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
  Rgb grid, axis;                  ///< lines of a plot; its zero line and frame
  Rgb track, thumb, stop;          ///< a slider's track, thumb and named stops
  Rgb selected, selected_border;   ///< selected cell of a segmented control
  Rgb scrim;                       ///< shade behind a modal sheet, with opacity `scrim_alpha`
  float scrim_alpha, tint_alpha;   ///< tint_alpha: accent behind a toggled icon or selected pill
  float shadow_alpha, band_alpha;  ///< drop shadows; filled p50–p99 bands of a plot
  Rgb heat_zero, heat_minus, heat_plus;  ///< diverging map: neutral, negative, positive
  std::array<Rgb, 8> series;
  Rgb view_top, view_horizon, floor, floor_line;  ///< 3-D scene, as rendered
  Rgb shell, joint;                               ///< robot's shells and joints
  Rgb reference, push;                            ///< dashes of the reference, arrow of a push
};

inline constexpr Theme kDarkTheme = {
    .dark = true,
    .background = 0x0C0F13,
    .surface = 0x14181E,
    .raised = 0x1D232B,
    .hover = 0x272E38,
    .popup = 0x222933,
    .border = 0x252C35,
    .strong = 0x465161,
    .text = 0xE8EBF0,
    .muted = 0xA3ACB9,
    .faint = 0x7F8998,
    .accent = 0x6FB0FE,
    .accent_ink = 0x08182B,
    .warn = 0xF5BE5B,
    .error = 0xFF8A80,
    .ok = 0x62D3A4,
    .grid = 0x20262F,
    .axis = 0x323B47,
    .track = 0x2B333E,
    .thumb = 0xF2F4F8,
    .stop = 0x5B6778,
    .selected = 0x2C3543,
    .selected_border = 0x3C4757,
    .scrim = 0x05070A,
    .scrim_alpha = 0.68f,
    .tint_alpha = 0.18f,
    .shadow_alpha = 0.35f,
    .band_alpha = 0.24f,
    .heat_zero = 0x1F252E,
    .heat_minus = 0x3F8DEB,
    .heat_plus = 0xE8912A,
    .series = {0x6FB0FE, 0xEBA23A, 0x58DCBB, 0xAE6E97, 0xF9DC7A, 0x6B80ED, 0xDF5C42, 0xAAA3A6},
    .view_top = 0x0E1217,
    .view_horizon = 0x1F2530,
    .floor = 0x232A34,
    .floor_line = 0x343E4B,
    .shell = 0xE6E9EE,
    .joint = 0x292E36,
    .reference = 0xC8CFDA,
    .push = 0xF9DC7A,
};

inline constexpr Theme kLightTheme = {
    .dark = false,
    .background = 0xE9ECF0,
    .surface = 0xFFFFFF,
    .raised = 0xF1F3F6,
    .hover = 0xE6E9EE,
    .popup = 0xFFFFFF,
    .border = 0xDDE1E7,
    .strong = 0xB6BECA,
    .text = 0x161B22,
    .muted = 0x535D6C,
    .faint = 0x69737F,
    .accent = 0x0162B9,
    .accent_ink = 0xFFFFFF,
    .warn = 0x8A5700,
    .error = 0xB3261E,
    .ok = 0x18724A,
    .grid = 0xECEFF3,
    .axis = 0xC9D0D9,
    .track = 0xDADFE6,
    .thumb = 0xFFFFFF,
    .stop = 0xA9B2BF,
    .selected = 0xFFFFFF,
    .selected_border = 0xC9D0D9,
    .scrim = 0x2A323D,
    .scrim_alpha = 0.38f,
    .tint_alpha = 0.12f,
    .shadow_alpha = 0.10f,
    .band_alpha = 0.18f,
    .heat_zero = 0xF4F6F8,
    .heat_minus = 0x1F74C8,
    .heat_plus = 0xD0761A,
    .series = {0x0162B9, 0xB25A00, 0x06A287, 0x6F2F69, 0xA98D00, 0x7F79C4, 0x8C1513, 0x6C6567},
    .view_top = 0xBCC7D2,
    .view_horizon = 0xDCDFE4,
    .floor = 0xF2F5F8,
    .floor_line = 0xD6DCE3,
    .shell = 0xFBFBFC,
    .joint = 0x333942,
    .reference = 0x5A6573,
    .push = 0xC2410C,
};

/// Channels in 0…1, sRGB-encoded as given.
constexpr std::array<float, 3> ToFloats(Rgb color) {
  return {static_cast<float>((color >> 16) & 0xFFu) / 255.0f,
          static_cast<float>((color >> 8) & 0xFFu) / 255.0f,
          static_cast<float>(color & 0xFFu) / 255.0f};
}

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
