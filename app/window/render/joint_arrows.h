#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

#include "app/window/render/decor.h"

namespace civita {

/// Arrows of a vector of nv numbers, like torques or s: about (right-handed) or along the axes of
/// the joints, of unit length per `largest`. Balls and free joints have one arrow for each three
/// numbers.
std::vector<ColoredArrow> JointArrows(const mjModel& model, const mjData& data,
                                      std::span<const double> values, double largest, double unit,
                                      Rgb color);

}  // namespace civita
