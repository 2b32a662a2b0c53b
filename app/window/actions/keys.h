#pragma once

#include "app/window/model/window_state.h"
#include "app/window/render/view3d.h"

namespace civita {

/// Does what the keys of this frame mean: the table of actions, and MuJoCo's own. None while text
/// is entered, few while a sheet is open.
void HandleKeys(WindowState* state, View3d* view);

}  // namespace civita
