#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"
#include "civita/scenes/plant/actuation.h"
#include "civita/velocity_space.h"

namespace civita {

/// By coordinate of the tree (nv): whether a loop in `closed` (null: none) has it, so that others
/// may carry a part of its load.
std::vector<bool> FindSharedLoads(const VelocitySpace* closed, int nv);

/// Names the coordinates whose effort limits cannot hold the robot at q against gravity and
/// springs; empty if all can. Left out are coordinates whose loads are not known: those of the
/// loops in `closed` (null: none) and those on a free joint.
std::string DescribeWeakLimits(const Model& plant, const Actuation& actuation,
                               const VelocitySpace* closed, const Eigen::VectorXd& q);

/// Moves q (nq), at which effort limits cannot hold a robot with a fixed base, to a configuration
/// near it where seven tenths of them can, or else 95 %, by hinges and slides that have drives,
/// are in no loop and are not `kept` (nv), inside their limits by a tenth of the range; `notices`
/// says so. Where none is found q stays as it is.
void MoveToWhereDrivesHold(const mjModel& m, const Model& plant, const Actuation& actuation,
                           const VelocitySpace* closed, const std::vector<bool>& kept,
                           Eigen::VectorXd* q, std::vector<std::string>* notices);

}  // namespace civita
