#pragma once

#include <optional>
#include <vector>

#include "app/window/model/window_state.h"
#include "app/window/render/decor.h"
#include "app/window/render/view3d.h"

namespace civita {

/// The arrow of a push, which is shown from its start on for 0.6 s at least; nullopt: not now.
std::optional<PushArrow> FindPushArrow(const Push& push, double t, const mjData& d);

/// The arrows of the marks that are switched on, for run A at the shown time.
class MarkArrows {
 public:
  std::vector<ColoredArrow> Find(const WindowState& state, const View3d& view);

 private:
  /// of the recent numbers, for the scale
  double largest_torque_ = 0, largest_sliding_ = 0;
};

/// Colours of what C and the torsion-free C carry.
inline Rgb CarriedColor(const Theme& theme) { return theme.series[0]; }
inline Rgb TorsionFreeColor(const Theme& theme) { return theme.reference; }

/// Whether the view shows the carried frame: while the Geometry tab is open.
bool ShowsFrameArrows(const WindowState& state);

}  // namespace civita
