#pragma once

#include "app/window/widgets/draw.h"

namespace civita {

/// Heights and paddings shared by several panels, logical pixels.
inline constexpr float kTopBarHeight = 48, kStatusBarHeight = 28, kCardHeader = 44,
                       kTransportHeight = 52, kCardPadding = 16, kCardGap = 8;

/// Which cards the user has enabled.
struct PanelChoice {
  bool side = true;
  bool plots = true;
  bool plots_collapsed = false;  ///< in a narrow window: only the header
};

/// Positions of all cards, device pixels. A hidden card has no width.
struct Layout {
  Rect top_bar, status_bar;
  Rect view, plots, side;
  Rect matrix;          ///< second card below the side card; no width: the matrix is a tab
  bool is_wide = true;  ///< plots beside the view, else below it
  int plot_columns = 1;
};

/// Width of the side card in a window of this width.
float SideWidth(const Ui& ui, float width);

/// `matrix_height`: preferred height of a card for the matrix, device pixels; it exists when the
/// side has room for both.
Layout CalcLayout(const Ui& ui, float width, float height, const PanelChoice& choice,
                  float matrix_height);

}  // namespace civita
