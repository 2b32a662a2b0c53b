#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "civita/controllers/legs/leg_options.h"
#include "civita/scenes/plant/mujoco_fwd.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class Actuation;
struct LawInfo;

/// Legs for laws of legged robots, see LegOptions: `legs`, and `gait`.
struct LegConfig {
  std::vector<std::string> feet;            ///< bodies or sites; empty: none
  std::vector<std::vector<double>> points;  ///< balls added to each foot, 3 numbers each, m
  double radius = 0.02;                     ///< of those balls, m
  double friction = 0.8;
  bool base_task = false;
  double momentum_weight = 0;
  GaitOptions gait;
};
std::span<const KeyRow<LegConfig>> LegKeys();
std::span<const KeyRow<GaitOptions>> GaitKeys();

/// The legs in the config, as a law of legged robots uses them. The balls of a foot are the
/// colliding spheres of its body, their centres in the axes of the named body or site; effort
/// limits are those of the actuation. Null: the config names no feet. `dt_s`: control period, s.
/// @throws KeyError: a law that needs feet, a model that does not start with a free joint, an
/// unknown foot (lists the sites and bodies), fewer than two feet, feet without balls, with balls
/// of different sizes or a mix of point and flat feet, step durations out of order.
std::shared_ptr<const LegOptions> FindLegs(const LegConfig& given, const LawInfo& law,
                                           const mjModel& m, const Model& control_model,
                                           const Actuation& actuation, double dt_s);

/// Adds the balls at `legs.points_m` to the bodies of the feet, for models without such spheres.
void AddFootBalls(const LegConfig& legs, mjSpec* spec);

/// Moves the robot's base up or down until the lowest of its feet's balls touches the floor, z = 0.
void SetOnFloor(const Model& model, const LegOptions& legs, Eigen::VectorXd* q);

}  // namespace civita
