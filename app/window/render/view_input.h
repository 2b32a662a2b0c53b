#pragma once

#include <bit>
#include <cstdint>

#include "app/window/render/view3d.h"
#include "app/window/widgets/draw.h"

namespace civita {

/// An OpenGL texture's name as ImGui's OpenGL back end wants it.
inline ImTextureID ToTextureId(unsigned texture) {
  return std::bit_cast<ImTextureID>(static_cast<std::uintptr_t>(texture));
}

/// Shows the view's picture in `frame` (device pixels) of the current ImGui window with corners of
/// `rounding` (device pixels; `corners` as of ImDrawFlags), and moves camera, selection and pull
/// with the mouse as MuJoCo's simulate does: left drag orbits, right drag pans (with shift:
/// horizontally), middle drag and wheel zoom; double click selects, right double click centres,
/// ctrl-right double click tracks; ctrl-left drag turns and ctrl-right drag pulls the selected
/// body. Returns true while the pointer is on the picture.
///
/// Call between ImGui's NewFrame and Render; then `view->Render()` before the draw data is drawn,
/// so that the picture is of this frame.
bool ShowView(const Rect& frame, float rounding, ImDrawFlags corners, View3d* view);

}  // namespace civita
