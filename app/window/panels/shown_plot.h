#pragma once

#include <vector>

#include "app/window/model/window_state.h"

namespace civita {

/// Height of a plot's title row, logical px.
inline constexpr float kPlotTitle = 32;

/// A plot's place in this frame.
struct PlacedPlot {
  std::size_t index;  ///< in PlotList
  const PlotChoice* choice;
  Rect frame;
  bool is_folded = false, has_labels = false;
};

/// What all plots of a frame share, the time axis first. Call before they are drawn.
void PreparePlots(WindowState* state);

/// The stretch of time of which plots show spectra: what is selected, or what all plots show.
SpectrumOver SpectraOver(const WindowState& state);

/// All that a plot can show, for a list.
std::vector<ListItem> PlotListItems(const std::vector<PlotChoice>& choices);

/// Draws a plot of the card with its title, whose drag moves it, and buttons; may remove it.
void DrawShownPlot(WindowState* state, const PlacedPlot& plot);

}  // namespace civita
