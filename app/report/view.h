// Pictures of space: points in front, right and top view at once, and arrows.
#pragma once

#include <Eigen/Core>

#include "app/report/svg_plot.h"

namespace civita {

/// A point of space on the page: x to the right, y into the page, z up.
Eigen::Vector2d Seen(const Eigen::Vector3d& p);

/// Adds an arrow from one point of the page to another to a line, with a head if it fits.
void DrawArrow(const Eigen::Vector2d& from, const Eigen::Vector2d& to, SvgSeries* series);

}  // namespace civita
