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
  /// Sizes that the user chose, logical pixels; 0: by the window's size. plots_height: of the plots
  /// below the view in a narrow window.
  float side_width = 0, plots_width = 0, plots_height = 0;
};

/// Positions of all cards, device pixels. A hidden card has no width.
struct Layout {
  Rect top_bar, status_bar;
  Rect view, plots, side;
  bool is_wide = true;  ///< plots beside the view, else below it
  int plot_columns = 1;
};

Layout CalcLayout(const Ui& ui, float width, float height, const PanelChoice& choice);

}  // namespace civita
