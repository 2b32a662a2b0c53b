#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/controllers/legs/leg_options.h"
#include "civita/model.h"
#include "civita/scenes/motion/reference.h"
#include "civita/scenes/plant/actuation.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/payload.h"
#include "civita/scenes/plant/push.h"
#include "civita/scenes/schema/config.h"

namespace civita {

/// What of a scene stays as it was loaded, and may be read by any thread while it runs.
struct SceneData {
  SceneConfig config;  ///< resolved: what LoadScene chose is filled in
  MjModelPtr mj;
  Model control_model;  ///< what the controller believes
  Model plant;          ///< of the mjModel
  const LawInfo* law;   ///< of the config's controller
  std::unique_ptr<const Reference> reference;
  Actuation actuation;
  std::vector<Coupling> couplings;
  std::shared_ptr<const ClusterModel> closed;  ///< loops, gears and coupled joints; null: none
  std::shared_ptr<const LegOptions> legs;      ///< null: the config names no feet
  std::vector<Push> pushes;
  std::unique_ptr<LoadedPlant> payload;  ///< the plant once the payload is grasped; else nothing
  Eigen::VectorXd q_home;                ///< about which the reference moves
  Eigen::VectorXd q_start, v_start;      ///< initial state
  std::vector<std::string> notices;      ///< what was adapted, one line each, for the user to read
  std::string model_hash;                ///< 16 hex digits over the compiled model
  std::vector<std::string> velocity_names;

  /// Of a model compiled from its file: what the controller believes, and the plant with the errors
  /// that the config gives it; LoadScene does the rest.
  SceneData(SceneConfig config_in, MjModelPtr mj_in);
};

/// A scene ready to run: its data, and the law with its state, which belongs to the thread that
/// runs it. Movable as a unique_ptr; owns everything.
struct Scene : SceneData {
  using SceneData::SceneData;
  std::unique_ptr<Controller> controller;
};

/// Compiles the model and builds everything. The reference moves about the model's keyframe `home`,
/// or qpos0, moved inside every joint limit by a tenth of the range; the robot starts there, unless
/// the config gives `initial`. Joints that equalities couple start and move together.
/// @throws UserError.
std::unique_ptr<Scene> LoadScene(const SceneConfig& config);

}  // namespace civita
