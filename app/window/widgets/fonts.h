#pragma once

#include <string>
#include <vector>

#include "app/window/widgets/ui.h"

namespace civita {

/// Paths of the font files in use; empty if none was found.
struct FontFiles {
  std::string regular;   ///< Inter, else the system's sans-serif
  std::string semibold;  ///< Inter SemiBold, else `regular`
  std::string mono;      ///< JetBrains Mono, else the system's monospace
  std::string symbols;   ///< DejaVu Sans: ‖ ∇ ⊥ ∥ ᵀ and arrows
  std::string mono_symbols;
  std::vector<std::string> notices;  ///< one line for each font that is missing, naming its package
};

/// Searches the fonts through fontconfig, then in the folders of Debian's packages.
FontFiles FindFontFiles();

/// Builds the seven fonts for `ui->scale` into ImGui's atlas and sets `ui->fonts`. Any earlier
/// atlas is discarded, so the renderer's texture must be recreated. Without font files ImGui's
/// default font is used.
void BuildFonts(const FontFiles& files, Ui* ui);

}  // namespace civita
