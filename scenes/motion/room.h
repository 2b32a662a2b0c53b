#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/motion/reference.h"
#include "civita/scenes/plant/mujoco_fwd.h"

namespace civita {

struct MotionContext;

/// Makes amplitudes (nv) of a motion about the center smaller, until the drives can give what it
/// needs, with a fifth of what moves the robot in reserve, and no bodies overlap on its way: first
/// of the coordinates whose drives are too weak, then of all, by halves, at most nine times.
/// Coordinates that cannot be held at rest do not count. `make` gives the motion of amplitudes.
/// Says what became smaller. Efforts of coordinates in loops, which share loads, do not count;
/// motions of robots with legs are left as they are.
void FitAmplitudes(const MotionContext& context,
                   const std::function<std::unique_ptr<Reference>(const Eigen::VectorXd&)>& make,
                   std::vector<double>* amplitude);

/// Adds a notice for each joint that the reference moves beyond its limits within the run's
/// duration.
void CheckJointLimits(const mjModel& m, const Model& plant, const Reference& reference,
                      const Eigen::VectorXd& q_start, double duration_s,
                      std::vector<std::string>* notices);

}  // namespace civita
