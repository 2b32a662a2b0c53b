#pragma once

#include "app/window/widgets/draw.h"

namespace civita {

/// Heights and paddings that several panels share, logical pixels.
inline constexpr float kTopBarHeight = 48, kStatusBarHeight = 28, kCardHeader = 44,
                       kTransportHeight = 52, kCardPadding = 16, kCardGap = 8;

/// Which cards the user wants.
struct PanelChoice {
  bool side = true;
  bool plots = true;
  bool plots_collapsed = false;  ///< in a narrow window: the header alone
};

/// Where everything goes, device pixels. A card that is not shown has no width.
struct Layout {
  Rect top_bar, status_bar;
  Rect view, plots, side;
  Rect matrix;          ///< second card below the side card; no width: the matrix is a tab
  bool is_wide = true;  ///< plots beside the view, else below it
  int plot_columns = 1;
};

/// Width of the side card in a window of this width.
float SideWidth(const Ui& ui, float width);

/// `matrix_height`: device pixels that a card for the matrix wants; it gets one when the side has
/// room for both.
Layout CalcLayout(const Ui& ui, float width, float height, const PanelChoice& choice,
                  float matrix_height);

}  // namespace civita
