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
#include "civita/scenes/plant/floating.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/payload.h"
#include "civita/scenes/plant/push.h"
#include "civita/scenes/schema/config.h"

namespace civita {

/// The constant part of a loaded scene, which any thread may read during a run.
struct SceneData {
  SceneConfig config;  ///< resolved: with the defaults that LoadScene chose
  MjModelPtr mj;
  Model control_model;  ///< the controller's
  Model plant;          ///< of the mjModel, with the config's errors
  const LawInfo* law;   ///< of the config's controller
  std::unique_ptr<const Reference> reference = {};
  Actuation actuation = {};
  FreeParts free_parts = {};
  std::vector<Coupling> couplings = {};
  std::shared_ptr<const VelocitySpace> closed = {};  ///< loops, gears, coupled joints; null: none
  std::shared_ptr<const LegOptions> legs = {};       ///< null: the config names no feet
  std::vector<Push> pushes = {};
  /// the plant with its payload grasped; null without payload
  std::unique_ptr<LoadedPlant> payload = {};
  Eigen::VectorXd q_home = {};                 ///< configuration about which the reference moves
  Eigen::VectorXd q_start = {}, v_start = {};  ///< initial state
  std::vector<std::string> notices = {};       ///< adaptations, one line each, for the user
  std::string model_hash = {};                 ///< 16 hex digits over the compiled model
  std::vector<std::string> velocity_names = {};
};

/// A scene ready to run: its data, and the law with its state, which belongs to the thread that
/// runs it. Owns everything.
struct Scene : SceneData {
  std::unique_ptr<Controller> controller;
};

/// Compiles the config's model with what the config adds to its world and changes of the robot,
/// and then `edit`, if given. `simulated`: see ModelReading. @throws UserError, KeyError.
MjModelPtr CompileModel(const SceneConfig& config, bool simulated, const SpecEdit& edit,
                        std::vector<std::string>* notices);

/// Says of a large model how large it is, as what everything takes grows with that.
void TellSize(const Model& model, std::vector<std::string>* notices);

/// Compiles the model and builds everything. The reference moves about the model's keyframe
/// `home`, or qpos0, moved inside every joint limit by a tenth of the range and to where its
/// drives hold it; the robot starts there, unless the config gives `initial`, and a robot with legs
/// on the floor. Joints coupled by equalities start and move together.
/// @throws UserError.
std::unique_ptr<Scene> LoadScene(const SceneConfig& config);

}  // namespace civita
