#pragma once

#include "app/window/render/view3d.h"
#include "app/window/window_state.h"

namespace civita {

/// Takes theme, zoom, panels, plots and recent files from the settings.
void RestoreKept(WindowState* state);
/// Puts them into the settings and saves them if they have changed. A failure is told once.
void Keep(WindowState* state);

/// Puts the camera where it was last in this scene, and remembers where it is.
void RestoreCamera(const WindowState& state, View3d* view);
void KeepCamera(WindowState* state, const View3d& view);

}  // namespace civita
