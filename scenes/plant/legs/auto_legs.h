#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "civita/scenes/schema/config.h"

namespace civita {

/// What the shapes and joints of a robot's file tell of its legs.
struct FoundLegs {
  struct Leg {
    int body = 0;                         ///< of the foot
    std::string foot;                     ///< its name
    std::vector<int> joints;              ///< from the base; without those that all legs share
    bool has_balls = false;               ///< the body holds spheres
    std::vector<Eigen::Vector3d> points;  ///< where balls are, or would be, in the body's axes, m
    double radius = 0;                    ///< m
  };
  std::vector<Leg> legs;                 ///< two or four; empty: none found
  std::string why;                       ///< why none is found
  bool flat = false;                     ///< feet on six joints or more have soles
  Eigen::Vector3d ahead;                 ///< which way of the base is ahead, in its axes
  bool by_toes = false;                  ///< there the soles are longer, as seen from the ankles
  std::map<std::string, double> joints;  ///< angles of bent legs; empty: no such pose found, rad
  /// The difference in height of what the feet stand on in the keyframe `home`, m; none without
  /// one.
  std::optional<double> uneven_key;
  double mass = 0;        ///< kg
  double height = 0;      ///< of the centre of mass above the feet in that pose or as it is, m
  double leg_length = 0;  ///< the longest distance from hip to foot, m
  double half_support =
      0;  ///< half the shorter side of the feet's rectangle, or a sole's length, m
};

/// Looks for legs: two or four bodies at the ends of as long chains of three joints or more, which
/// share at most three joints, no wheels, whose lowest points are within 15 % of the robot's height
/// of its lowest, at the angles nearest to zero. Ahead is the base's x axis, or where the toes of
/// soles are. The pose has bent knees, level soles, and the centre of mass over the middle of the
/// feet. `fixed`: shapes fixed to the world are the robot's. `ahead`: given in the base's axes.
FoundLegs FindLegsOf(const mjModel& m, bool fixed,
                     const std::optional<Eigen::Vector3d>& ahead = std::nullopt);

/// A config key that a scene chooses.
struct ChosenKey {
  std::string key, value;  ///< as in a config: "legs.feet", "[left_foot, right_foot]"
  std::string rule;        ///< where the value comes from
};

/// Chooses what a config of a law for legs leaves open where it names no feet, from the robot's
/// file: a free base and contacts (URDF), feet and their balls, a pose with bent knees, gains and
/// times from the frequency ω = √(g/h) of the pendulum whose height h is the centre of mass's,
/// lengths from the leg's. Keys that the config gives stay. @throws KeyError that says what is
/// missing.
std::vector<ChosenKey> ChooseLegs(const SceneConfig& config);

/// Sets the keys in the config, each with a notice.
void SetChosen(const std::vector<ChosenKey>& chosen, SceneConfig* config);

}  // namespace civita
