#pragma once

#include <mujoco/mujoco.h>

#include "civita/model.h"

namespace civita {

/// Whether principal moments that no body has, negative or with A + B < C, which MuJoCo's compiler
/// lets nobody have, are an error.
enum class Inertias { kChecked, kAsTheyStand };

/// The Model of an mjModel: all its joints (hinge, slide, ball, free, several on a body), armature,
/// damping, dry friction, springs of hinges and slides (those of balls are left out), bodies
/// without joints merged. q, v and joint torques are MuJoCo's qpos, qvel and qfrc. Mass matrix and
/// bias agree with MuJoCo's own.
/// @throws UserError for what the tree's equations cannot hold (tendon armature, gravcomp, fluid
/// forces are named so), for no joints at all.
Model BuildModel(const mjModel& mj, Inertias inertias = Inertias::kChecked);

/// Checks that the library that runs is the one compiled against. @throws UserError.
void CheckMujocoVersion();

}  // namespace civita
