// Line plots as SVG files for papers and reports: self-contained, generic fonts, the light theme's
// colours.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/style/theme.h"

namespace civita {

/// An axis: rounded limits around the data, unless given.
struct SvgAxis {
  std::string label = {};  ///< including its unit: "time, s"
  bool log = false;        ///< non-positive values are left out
  double lo = std::numeric_limits<double>::quiet_NaN();
  double hi = std::numeric_limits<double>::quiet_NaN();
};

/// A line through points; non-finite points interrupt it.
struct SvgSeries {
  std::string label = {};  ///< empty: unnamed
  std::vector<double> x = {}, y = {};
  enum class Style { kSolid, kDashed, kDotted, kPoints } style = Style::kSolid;
  std::optional<Rgb> color = std::nullopt;  ///< default: the theme's, in order
  double width = 1.6;

  void Add(double at_x, double at_y) {
    x.push_back(at_x);
    y.push_back(at_y);
  }
  /// A point of the page, such as an Eigen::Vector2d.
  template <typename Point>
  void Add(const Point& at) {
    Add(at.x(), at.y());
  }
  /// Interrupts the line.
  void Break() { Add(NAN, NAN); }
};

/// A text centred at a point, or to its right.
struct SvgNote {
  double x = 0, y = 0;
  std::string text;
  bool right = false;
};

struct SvgPlot {
  std::string title = {};
  SvgAxis x = {}, y = {};
  std::vector<SvgSeries> series = {};  ///< the first one is drawn on top
  std::vector<SvgNote> notes = {};
  /// A drawing without axes and with the same scale in both directions.
  bool picture = false;
};

/// An empty plot over time, of values with this label.
inline SvgPlot PlotOverTime(std::string title, std::string label, bool log = false) {
  return {.title = std::move(title),
          .x = {.label = "time, s"},
          .y = {.label = std::move(label), .log = log}};
}

/// Plots in a grid with `columns` columns.
struct SvgFigure {
  std::vector<SvgPlot> plots = {};
  int columns = 1;
  double width = 560, height = 360;  ///< of one plot, px
  /// One legend above the plots; otherwise each line is named at its right end.
  bool legend = false;
};

/// The figure as an SVG document.
std::string FormatSvg(const SvgFigure& figure);

/// A line of a legend.
struct SvgKey {
  std::string label;
  Rgb color = 0;
  SvgSeries::Style style = SvgSeries::Style::kSolid;
};
/// The plots' named lines, each name once.
std::vector<SvgKey> KeysOf(std::span<const SvgPlot> plots);

/// For html.cc: a plot within a page, without title and names, with the data that the
/// reports' script reads; a piece of a legend's line.
std::string FormatInlineSvg(const SvgPlot& plot, double width, double height);
std::string FormatSwatch(const SvgKey& key);

}  // namespace civita
