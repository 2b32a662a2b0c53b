#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "app/report/svg_plot.h"

namespace civita {

/// A curve in space.
struct SpaceCurve {
  std::string label;
  std::vector<Eigen::Vector3d> points;
};

/// Curves in an axonometric projection above a floor with ticks, as a picture: the first axis goes
/// away to the right, the second away to the left, the third up, each with its own scale. Thin
/// dotted lines are the curves' shadows on the floor. `axes` are labels with units.
SvgPlot PlotInSpace(std::string title, const std::array<std::string, 3>& axes,
                    const std::vector<SpaceCurve>& curves);

// Pictures of space: points in front, right and top view at once, and arrows.

/// A point of space on the page: x to the right, y into the page, z up.
Eigen::Vector2d Seen(const Eigen::Vector3d& p);

/// Adds an arrow from one point of the page to another to a line, with a head if it fits.
void DrawArrow(const Eigen::Vector2d& from, const Eigen::Vector2d& to, SvgSeries* series);

}  // namespace civita
