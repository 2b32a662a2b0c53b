#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/traces.h"

namespace civita {

/// How many plots there are, and lines in each: as many as there are colours.
inline constexpr int kPlots = 4, kMaxLines = 8;

/// What a plot can show.
struct PlotChoice {
  /// A channel of the traces, drawn in a colour of the theme's series.
  struct Line {
    int channel = 0;
    std::string name = {};
    std::size_t color = 0;
    float width = 1.5f;
    float alpha = 1;
  };
  /// The area between two channels, hidden together with line `owner`.
  struct Band {
    int low = 0, high = 0, owner = 0;
  };

  std::string title;         ///< "Torque", "/law/dcm"; no two have the same
  std::string heading = {};  ///< of the part of the list that it is in; "": the standard plots
  std::string unit = {};     ///< as shown
  std::string legend_title = {};
  PlotStyle style = {};
  std::vector<Line> lines = {};
  std::optional<Band> band = {};
  bool marks_saturation = false;  ///< marks the time with a torque at its limit
};

/// All that can be plotted of a run or two: first the standard plots, those of the table in
/// plot_choices.cc that apply, then each recorded signal under its name, of the second run those
/// that the first does not have. What has too many lines is cut: "/q/0 … 7".
std::vector<PlotChoice> MakePlotChoices(const Session& session, const Traces& traces);

/// What the plots show at first: titles.
std::array<std::string_view, kPlots> FirstPlots(bool has_legs);

}  // namespace civita
