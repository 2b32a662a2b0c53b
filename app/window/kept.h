#pragma once

#include "app/window/window_state.h"

namespace civita {

/// Takes theme, zoom, panels, plots and recent scenes from the settings.
void RestoreKept(WindowState* state);
/// Puts them into the settings and saves them if they have changed. A failure is told once.
void Keep(WindowState* state);

}  // namespace civita
