// Line plots as SVG files for papers and reports: self-contained, generic fonts, the light theme's
// colours.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/style/theme.h"

namespace civita {

/// An axis: calm limits around the data, unless given.
struct SvgAxis {
  std::string label = {};  ///< with its unit: "time, s"
  bool log = false;        ///< values that are not positive are left out
  double lo = std::numeric_limits<double>::quiet_NaN();
  double hi = std::numeric_limits<double>::quiet_NaN();
};

/// A line through points. A point that is not finite breaks it.
struct SvgSeries {
  std::string label = {};  ///< empty: not named
  std::vector<double> x = {}, y = {};
  enum class Style { kSolid, kDashed, kDotted, kPoints } style = Style::kSolid;
  std::optional<Rgb> color = std::nullopt;  ///< else the theme's, in order
  double width = 1.6;
};

struct SvgPlot {
  std::string title = {};
  SvgAxis x = {}, y = {};
  std::vector<SvgSeries> series = {};  ///< the first one lies on top
  /// A picture rather than a plot: no axes, and one scale for both directions.
  bool picture = false;
};

/// Plots in rows of `columns`.
struct SvgFigure {
  std::vector<SvgPlot> plots = {};
  int columns = 1;
  double width = 560, height = 360;  ///< of one plot, px
  /// Names once above the plots; else each line is named at its right end.
  bool legend = false;
};

/// The figure as an SVG document.
std::string FormatSvg(const SvgFigure& figure);

}  // namespace civita
