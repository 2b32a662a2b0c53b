#pragma once

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/plant/ground.h"
#include "civita/scenes/scene.h"

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

/// Checks that a config gives a law of legged robots what it needs: a free base, feet that exist,
/// contacts and something to stand on. @throws KeyError that names all that is missing, and a
/// config with it as one line of YAML.
void CheckLegNeeds(const SceneConfig& config, const mjModel& m);

/// The configuration q (nq) of a robot on legs, set on the floor unless the config gives
/// `initial.q`. A notice tells how far a base that the file's keyframe places is moved.
Eigen::VectorXd PlaceOnFloor(const InitialConfig& initial, const mjModel& m, const Model& plant,
                             const LegOptions& legs, const FloorPlane& floor, Eigen::VectorXd q,
                             std::vector<std::string>* notices);

/// What keeps a robot from standing at its start: feet or other shapes in the floor, feet above it,
/// a centre of mass outside the support, joints whose effort limits cannot hold it by the forces of
/// the feet, and a law that does not begin at rest, V(0) > 1e-6 J. One line each.
std::vector<std::string> FindStartFaults(const Scene& scene,
                                         const std::optional<FloorPlane>& floor);

/// Notices of the faults at the start of a scene whose law needs legs; an error where the config
/// asks for no initial state, no start error and no throw. @throws KeyError.
std::vector<std::string> CheckStart(const Scene& scene, const std::optional<FloorPlane>& floor);

}  // namespace civita
