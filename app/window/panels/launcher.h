#pragma once

#include <string>
#include <string_view>

#include "app/window/model/window_state.h"
#include "app/window/widgets/draw.h"

namespace civita {

/// What the sheets of scenes and of files share.

/// Opens a file or a recorded run. The sheet stays until it is loaded: one that fails can be mended
/// there.
void OpenFromSheet(WindowState* state, const std::string& path);

/// At the sheet's foot: what is being opened or why it was not, else a hint; and the keys.
void DrawSheetFoot(const Ui& ui, const LauncherState& launcher, const Rect& sheet,
                   std::string_view hint, std::string_view keys);
/// Height of the foot, logical pixels.
inline constexpr float kSheetFoot = 52;

}  // namespace civita
