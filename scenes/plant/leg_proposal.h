#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "civita/scenes/plant/mujoco_fwd.h"

namespace civita {

/// What a robot's file suggests about its legs, for messages: nothing is set by it.
struct LegProposal {
  struct Leg {
    int body = 0;                         ///< of the foot
    std::string foot;                     ///< its name
    std::vector<int> joints;              ///< from the base; without those that all legs share
    bool has_balls = false;               ///< the body holds spheres
    std::vector<Eigen::Vector3d> points;  ///< where balls would be, in the body's axes, m
    double radius = 0;                    ///< m
  };
  std::vector<Leg> legs;                 ///< two or four; empty: none found
  std::vector<std::string> lowest;       ///< the lowest bodies at the end of a chain, with shapes
  std::map<std::string, double> joints;  ///< angles of bent legs; empty: none found, rad
};

/// Looks for legs: two or four bodies at the ends of as long chains of joints, whose lowest points
/// are within 15 % of the robot's height of the lowest, at the angles nearest to zero. Feet on six
/// joints are flat. The proposed pose has bent knees, level soles, and the centre of mass over the
/// middle of the feet.
LegProposal ProposeLegs(const mjModel& m);

}  // namespace civita
