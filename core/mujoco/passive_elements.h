#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// The element's name, or its number where it has none.
std::string ElementName(const mjModel& mj, mjtObj type, int id);

/// Sets armature, damping, dry friction and spring of a joint as they act in MuJoCo: with the share
/// of all actuators on the joint, and without what a flag of the model disables.
void ReadPassiveElements(const mjModel& mj, int joint, JointProperties* properties);

/// The fixed tendons on which a spring, damping, that of actuators included, or dry friction acts;
/// spatial tendons, whose moment arms vary, are not among them. Armature is not read.
std::vector<TendonProperties> ReadTendons(const mjModel& mj);

/// Whether MuJoCo adds passive forces at all: where the flags disable both springs and dampers,
/// gravity compensation, fluid and plug-ins have none either.
bool HasPassiveForces(const mjModel& mj);

/// A line for each kind of force that acts on the bodies besides those of BuildModel's Model, of
/// actuators, contacts, limits of joints, and equalities, and names the elements: springs, damping,
/// dry friction and limits of tendons, flexes, adhesion, plug-ins. Also where a spring or damper
/// that the Model has is not what it seems: one that yields, one whose force falls as velocity
/// grows, by which a law may lose dissipation.
std::vector<std::string> DescribeUnmodelledForces(const mjModel& mj);

}  // namespace civita
