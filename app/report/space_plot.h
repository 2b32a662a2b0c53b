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

}  // namespace civita
