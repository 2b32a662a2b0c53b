#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <memory>

#include "controllers/legs/leg_options.h"
#include "core/model.h"
#include "scenes/plant/actuation.h"
#include "scenes/plant/model_file.h"
#include "scenes/schema/config.h"

namespace civita {

/// The legs that the config names, as a law of legged robots wants to know them: the balls of each
/// foot are the spheres of its body that touch others, their centres in the axes of the body or
/// site that is named; effort limits are those of the actuation. Null: the config names no feet.
/// @throws UserError: a model that does not start with a free joint, a foot that is not there
/// (lists the sites and bodies), fewer than two feet, feet without balls, with balls of different
/// sizes or of which some are points and some flat, a step's times out of order.
std::shared_ptr<const LegOptions> FindLegs(const SceneConfig& config, const mjModel& m,
                                           const Model& control_model, const Actuation& actuation);

/// Adds the balls at `legs.points_m` to the bodies of the feet, for models that have none.
void AddFootBalls(const SceneConfig& config, mjSpec* spec);

/// Moves the robot's base up or down until the lowest of its feet's balls touches the floor, z = 0.
void SetOnFloor(const Model& model, const LegOptions& legs, Eigen::VectorXd* q);

}  // namespace civita
