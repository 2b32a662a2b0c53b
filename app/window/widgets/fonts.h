#pragma once

#include <string>
#include <vector>

#include "app/window/widgets/ui.h"

namespace civita {

/// Paths of the font files in use; empty if none was found.
struct FontFiles {
  std::string regular;   ///< Inter, else the system's sans-serif
  std::string semibold;  ///< Inter SemiBold, else `regular`
  std::string symbols;   ///< DejaVu Sans: ‖ ∇ ⊥ ∥ ᵀ and arrows
  /// One line for each font that is missing, naming its package; those of other scripts come when
  /// their letters are drawn.
  std::vector<std::string> notices;
};

/// Searches the fonts through fontconfig, then in the folders of Debian's packages.
FontFiles FindFontFiles();

/// Adds the faces to ImGui's atlas, once, and sets those of `ui->fonts`; ImGui draws each glyph
/// where it is first needed, at its size. Without font files ImGui's own font is used. The font of
/// another script is searched and read when its first letter is drawn; without one its letters are
/// '?', and `files`, which outlives the faces, gets a notice.
void AddFaces(FontFiles* files, Ui* ui);

/// Sets the sizes of `ui->fonts` for `ui->scale`.
void ScaleFonts(Ui* ui);

}  // namespace civita
