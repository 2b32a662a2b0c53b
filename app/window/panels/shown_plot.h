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

/// Draws a plot of the card or a floated one, with its title, whose drag moves it, and buttons; may
/// remove it.
void DrawShownPlot(WindowState* state, const PlacedPlot& plot);

/// Takes the plot out of the card to a panel of its own near a point of the window.
void FloatPlot(WindowState* state, std::size_t index, ImVec2 at);

/// Draws the floated plots, each in a window above the cards, within the window's size.
void DrawFloatedPlots(WindowState* state, float width, float height);

}  // namespace civita
