#pragma once

#include <span>

#include "app/window/model/window_state.h"
#include "app/window/render/view3d.h"
#include "app/window/widgets/widgets.h"

namespace civita {

/// A group in the table of keys that F1 shows.
struct KeyGroup {
  std::string_view title;
  std::span<const ShortcutRow> rows;
};
std::span<const KeyGroup> KeyGroups();

/// Handles the keys of this frame: MuJoCo's own, and F3, F4, F8 to F12 and ctrl for the others.
/// None while text is entered, only esc while a sheet is open.
void HandleKeys(WindowState* state, View3d* view);

}  // namespace civita
