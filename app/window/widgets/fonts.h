#pragma once

#include <string>
#include <vector>

#include "app/window/ui.h"

namespace civita {

/// Paths of the font files in use; empty where none was found.
struct FontFiles {
  std::string regular;   ///< Inter, else the system's sans-serif
  std::string semibold;  ///< Inter SemiBold, else `regular`
  std::string mono;      ///< JetBrains Mono, else the system's monospace
  std::string symbols;   ///< DejaVu Sans: ‖ ∇ ⊥ ∥ ᵀ and arrows
  std::string mono_symbols;
  std::vector<std::string> notices;  ///< one line for each font that is missing, naming its package
};

/// Looks for the fonts through fontconfig, then at the places where Debian's packages put them.
FontFiles FindFontFiles();

/// Builds the seven fonts for `ui->scale` into ImGui's atlas and sets `ui->fonts`. Any earlier
/// atlas is dropped, so the renderer's texture has to be made anew. Without font files ImGui's own
/// font serves.
void BuildFonts(const FontFiles& files, Ui* ui);

}  // namespace civita
