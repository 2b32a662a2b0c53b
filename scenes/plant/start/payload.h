#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "civita/model.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// A ball that a body grasps during the run, and keeps: `payload`.
struct PayloadConfig {
  std::string body;  ///< empty: no payload
  double mass_kg = 0;
  double at_s = 0;
  std::vector<double> position;  ///< of its centre in the body's frame, 3 numbers, m
  double radius = 0.05;          ///< m
};
std::span<const KeyRow<PayloadConfig>> PayloadKeys();

/// The plant from the time at which its payload is grasped. Sizes and coordinates are those of the
/// plant without it, so that one mjData serves both.
struct LoadedPlant {
  double at_s = 0;
  MjModelPtr mj;
  Model plant;
};

/// Adds the payload as a massless geom to the body that will hold it; see FindDrawnPayload.
/// `payload` must outlive the edit. @throws KeyError for an unknown body (lists the bodies).
SpecEdit DrawPayload(const PayloadConfig& payload);

/// The plant with the inertia of a homogeneous ball added to the body that holds it: mass, centre
/// of mass and principal moments of both together.
std::unique_ptr<LoadedPlant> GraspPayload(const mjModel& m, const PayloadConfig& payload);

/// The geom of DrawPayload, to be shown from `at_s` (s) on; geom −1 if there is none.
struct DrawnPayload {
  int geom = -1;
  double at_s = 0;
};
DrawnPayload FindDrawnPayload(const mjModel& m);

}  // namespace civita
