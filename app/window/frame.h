#pragma once

#include "app/window/panels/panels.h"

namespace civita {

/// Draws one frame of the window: the full-size ImGui window with all panels, sheets above it, and
/// handles the keys. Call between ImGui's NewFrame and Render.
void DrawFrame(WindowState* state, View3d* view, float width, float height,
               const FindThumbnail& thumbnail);

}  // namespace civita
