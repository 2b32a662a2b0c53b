#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class Model;
struct LawConfig;
struct MassProperties;

/// What holds the loops of a simulated closed chain: MuJoCo's soft constraints, or motion in the
/// independent velocities, in which they cannot open.
enum class LoopForm { kSoft, kExact };

/// The true plant: `plant`. By default it is that of the model file, which is the law's model.
struct PlantConfig {
  double mass_scale = 1;  ///< factor on every body's mass and inertia
  double mass_error = 0;  ///< further factor 1 + u on each, u uniform within ±mass_error, by seed
  std::vector<double> speed_limit;  ///< of the drives; empty: a legged robot's own
  LoopForm loops = LoopForm::kSoft;
};
std::span<const KeyRow<PlantConfig>> PlantKeys();

/// Speed limits of the plant's drives by coordinate (nv), rad/s or m/s: those `given`, otherwise
/// for a legged robot the first user number of the motor at a joint, as in <motor user="30"/>;
/// infinity where there is none. @throws KeyError for a list whose length is not nv.
Eigen::VectorXd FindSpeedLimits(const std::vector<double>& given, bool is_legged, const mjModel& m);

/// Applies the errors of `plant` to the model, which so far is as its file says, as `nominal` is,
/// and builds the plant of it, without errors that one: masses and inertias of all bodies times
/// mass_scale and 1 + u. Centres of mass and principal axes are unchanged, so every body stays
/// physically consistent. @throws KeyError.
Model BuildTruePlant(const PlantConfig& plant, int seed, const Model& nominal, mjModel* m);

/// Sets mass, centre of mass and inertia about it of a body in the mjModel, in the axes of the
/// body's frame. Constants that the model derives from them (mj_setConst) keep their values.
void SetBodyInertia(const MassProperties& mass, int body, mjModel* m);

/// The controller's model of the plant: the `nominal` model of `m`, which is as its file says,
/// with all inertias times controller.model_scale, except those of the bodies in the file
/// controller.estimate,
///   BODY: {mass_kg: …, com_m: [x, y, z], inertia_kgm2: [xx, yy, zz, xy, xz, yz]}
/// with com_m in the body's frame and the inertia about it, in the frame's axes.
/// @throws UserError for an unknown body or key, or an inertia that is not physical (says which
/// body and why).
Model BuildControlModel(const LawConfig& config, const mjModel& m, const Model& nominal);

}  // namespace civita
