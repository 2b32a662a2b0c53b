#pragma once

#include "app/window/model/window_state.h"
#include "app/window/render/view3d.h"

namespace civita {

/// Fills in the sizes of the last window where they are 0, logical pixels.
void RestoreSize(const Settings& settings, int* width, int* height);
/// Takes theme, zoom, panels, plots and recent files from the settings.
void RestoreKept(WindowState* state);
/// Puts them into the settings and saves them if they have changed. A failure is told once.
void Keep(WindowState* state);

/// Puts the camera where it was last in this scene, and remembers where it is.
void RestoreCamera(const WindowState& state, View3d* view);
void KeepCamera(WindowState* state, const View3d& view);

}  // namespace civita
