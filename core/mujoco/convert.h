#pragma once

#include <mujoco/mujoco.h>

#include "civita/model.h"

namespace civita {

/// Whether principal moments that are not physical, negative or with A + B < C, are an error
/// (kChecked) or accepted (kAsTheyStand). MuJoCo's compiler refuses them.
enum class Inertias { kChecked, kAsTheyStand };

/// Builds the Model of an mjModel: all joints (hinge, slide, ball, free, several per body),
/// armature, damping, dry friction and springs, of fixed tendons too, as far as the model's flags
/// let them act (ReadPassiveElements); bodies without joints are merged into their parents. q, v
/// and τ are MuJoCo's qpos, qvel and qfrc; mass matrix and bias forces equal MuJoCo's, passive
/// forces those of joints and fixed tendons: DescribeUnmodelledForces names the others. @throws
/// UserError for a model without joints, and for tendon armature, gravity compensation and fluid
/// forces, which the equations of motion of the tree do not have.
Model BuildModel(const mjModel& mj, Inertias inertias = Inertias::kChecked);

/// Checks that the loaded MuJoCo library has the version of the headers compiled against.
/// @throws UserError otherwise.
void CheckMujocoVersion();

}  // namespace civita
