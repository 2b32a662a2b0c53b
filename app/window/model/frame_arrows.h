#pragma once

#include <vector>

#include "app/window/model/window_state.h"
#include "app/window/render/decor.h"

namespace civita {

/// Colours of what C and the torsion-free C carry.
inline Rgb CarriedColor(const Theme& theme) { return theme.series[0]; }
inline Rgb TorsionFreeColor(const Theme& theme) { return theme.reference; }

/// Whether the view shows the carried frame: while the Geometry tab is open.
bool ShowsFrameArrows(const WindowState& state);

/// The velocities that the tab's chosen vector of the carried frames gives to the tracked point, at
/// time t (s) and, faded, in the seconds before; the longest ever has a set share of `unit`. One
/// arrow where the frames agree.
std::vector<ColoredArrow> FrameArrows(const GeometryTab& tab, double t, double unit,
                                      const Theme& theme);

}  // namespace civita
