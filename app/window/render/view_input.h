#pragma once

#include "app/window/render/view3d.h"
#include "app/window/widgets/draw.h"

namespace civita {

/// An OpenGL texture's name as the type of ImGui's OpenGL back end.
inline ImTextureID ToTextureId(unsigned texture) { return static_cast<ImTextureID>(texture); }

/// Shows the view's picture in `frame` (device pixels) of the current ImGui window with corners of
/// radius `rounding` (device pixels; `corners` as of ImDrawFlags), and controls camera, selection
/// and pull with the mouse as MuJoCo's simulate does: left drag orbits, right drag pans (with
/// shift: horizontally), middle drag and wheel zoom; double click selects, right double click
/// centres, ctrl-right double click tracks; ctrl-left drag rotates and ctrl-right drag pulls the
/// selected body. Returns true while the pointer is on the picture.
///
/// Call between ImGui's NewFrame and Render; then call `view->Render()` before the draw data is
/// drawn, so that the picture belongs to this frame.
bool ShowView(const Rect& frame, float rounding, ImDrawFlags corners, View3d* view);

}  // namespace civita
