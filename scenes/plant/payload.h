#pragma once

#include <mujoco/mujoco.h>

#include "core/model.h"
#include "scenes/plant/model_file.h"
#include "scenes/schema/config.h"

namespace civita {

/// The plant from the time on at which its payload is grasped. Sizes, coordinates and what the
/// mjModel is made of otherwise are those of the plant without it, so that one mjData serves both.
struct LoadedPlant {
  double at_s = 0;
  MjModelPtr mj;
  Model plant;
};

/// Draws the payload, without mass, on the body that will hold it; see FindDrawnPayload. @throws
/// UserError for an unknown body (lists the bodies).
SpecEdit DrawPayload(const SceneConfig& config);

/// Adds a homogeneous ball to the inertia of the body that holds it: mass, centre of mass and
/// principal moments of the two together.
std::unique_ptr<LoadedPlant> GraspPayload(const mjModel& m, const SceneConfig& config);

/// The geom of DrawPayload, to be shown from `at_s` on; −1 where there is none.
struct DrawnPayload {
  int geom = -1;
  double at_s = 0;
};
DrawnPayload FindDrawnPayload(const mjModel& m);

}  // namespace civita
