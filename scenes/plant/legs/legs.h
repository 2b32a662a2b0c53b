#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "civita/controllers/legs/leg_options.h"
#include "civita/scenes/plant/ground.h"
#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/by_name.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class Actuation;

/// Coefficient of friction of the balls that are added to feet, and of a URDF's own.
inline constexpr double kBallFriction = 0.8;

/// Legs for laws of legged robots, see LegOptions: `legs`, and `gait`.
struct LegConfig {
  std::vector<std::string> feet;  ///< bodies or sites; empty: none
  /// Centres of the balls added to each foot, 3 numbers each in the axes of the body or site, m.
  ByName<std::vector<std::vector<double>>> points;
  ByName<double> radius = {.all = 0.02};  ///< of those balls, m
  double friction = 0.8;
  bool base_task = false;
  double momentum_weight = 0;
  std::vector<double> ahead = {1, 0, 0};  ///< which way of the base is ahead, in its axes
  GaitOptions gait;
};
std::span<const KeyRow<LegConfig>> LegKeys();
std::span<const KeyRow<GaitOptions>> GaitKeys();

/// The legs in the config, as a law of legged robots uses them. The balls of a foot are the
/// colliding spheres of its body, their centres in the axes of the named body or site; effort
/// limits are those of the actuation; base and soles keep their attitudes of q_home (nq). Null: the
/// config names no feet. `dt_s`: control period, s.
/// @throws KeyError: a model that does not start with a free joint, an
/// unknown foot (lists the sites and bodies), fewer than two feet, feet without balls, with balls
/// of different sizes or a mix of point and flat feet, step durations out of order.
std::shared_ptr<const LegOptions> FindLegs(const LegConfig& given, const mjModel& m,
                                           const Model& control_model, const Actuation& actuation,
                                           const Eigen::VectorXd& q_home, double dt_s);

/// Adds the balls at `legs.points_m` to the bodies of the feet. Feet that the model does not have
/// are left to FindLegs. @throws KeyError for points of other names.
void AddFootBalls(const LegConfig& legs, mjSpec* spec);

/// Whether `body` is `other` or a descendant fixed to it.
bool IsFixedTo(const mjModel& m, int body, int other);

/// The distance of a foot's highest and lowest ball from the floor along the vertical, m; negative
/// below it.
struct FootClearance {
  double lowest, highest;
};
std::vector<FootClearance> CalcClearances(const Model& model, const LegOptions& legs,
                                          const FloorPlane& floor, const Eigen::VectorXd& q);

/// Moves the robot's base vertically until the lowest of its feet's balls touches the floor; not if
/// it does so already, within 1 µm.
/// @returns the distance, m, upward.
double SetOnFloor(const Model& model, const LegOptions& legs, const FloorPlane& floor,
                  Eigen::VectorXd* q);

}  // namespace civita
