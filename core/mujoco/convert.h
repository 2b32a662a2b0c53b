#pragma once

#include <mujoco/mujoco.h>

#include <string>

#include "civita/model.h"

namespace civita {

/// Builds the Model of an mjModel: all joints (hinge, slide, ball, free, several per body),
/// armature, damping, dry friction and springs, of fixed tendons too, as far as the model's flags
/// let them act (ReadPassiveElements); bodies without joints are merged into their parents; sites
/// with names become frames (NameOfSite). Principal moments are taken as they stand, also those
/// that MuJoCo's compiler refuses. q, v and τ are MuJoCo's qpos, qvel and qfrc; mass matrix and
/// bias forces equal MuJoCo's, passive forces those of joints and fixed tendons:
/// DescribeUnmodelledForces names the others. @throws UserError for a model without joints, and for
/// tendon armature, gravity compensation and fluid forces, which the equations of motion of the
/// tree do not have.
Model BuildModel(const mjModel& mj);

/// The name of a site's frame: its own, or `site:NAME` where a body has that name; "" without one.
std::string NameOfSite(const mjModel& mj, int site);

/// Checks that the loaded MuJoCo library has the version of the headers compiled against, or
/// another patch of it. @throws UserError otherwise.
void CheckMujocoVersion();

/// The name of an element; `kind` and its number where it has none.
std::string ElementName(const mjModel& mj, mjtObj type, int id, const std::string& kind = "");

}  // namespace civita
