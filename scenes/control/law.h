#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/controllers/momentum_observer.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

class ReferenceConfig;

/// The control law, its model of the robot and its gains: `controller` and `gains`.
struct LawConfig {
  std::string controller = "slotine_li";
  std::string factorization = "christoffel";
  /// velocities of the law's gains and errors: v, or others in the grammar of ReadCoordinates
  std::string coordinates = "v";
  bool has_own_coordinates() const { return coordinates != "v"; }
  GainForm gain_form = GainForm::kMass;
  double model_scale = 1;  ///< factor on the model file's inertias in the controller's model
  /// file of some bodies' inertias, instead of the scaled ones; or empty
  std::filesystem::path estimate;
  LawOptions law_options;                            ///< options of LawInfo::options
  std::map<std::string, std::vector<double>> gains;  ///< GivenGain::numbers by key
  std::set<std::string> gains_by_entries;            ///< those that are not GivenGain::is_whole
};
std::span<const KeyRow<LawConfig>> LawKeys();   ///< keys below `controller`
std::span<const KeyRow<LawConfig>> GainKeys();  ///< keys below `gains`

/// Makes the law with its gains for the controller's model. `options` holds what follows from the
/// plant and from other sections; this section's options are filled in, and defaults are set in
/// `config`. Relative files of the factorization are in `directory`. @throws KeyError.
std::unique_ptr<Controller> MakeController(const Model& control_model,
                                           const std::filesystem::path& directory,
                                           ControllerOptions options, LawConfig* config);

/// A momentum observer run with the law: `observer`. Each list: one number or nv; empty: none.
struct ObserverConfig {
  std::vector<double> gain, threshold;
  bool compensate = false;
};
std::span<const KeyRow<ObserverConfig>> ObserverKeys();

/// The options of the observer that the config describes, for nv coordinates. @throws KeyError.
ObserverOptions MakeObserver(const ObserverConfig& observer, int nv);

/// The frame that laws of the task space move: `task`.
struct TaskConfig {
  std::string frame;  ///< site or body; empty: the reference's, otherwise the last body
  TaskKind kind = TaskKind::kPosition;
  std::vector<double> offset = {0, 0, 0};  ///< m, in the frame's axes
};
std::span<const KeyRow<TaskConfig>> TaskKeys();

/// Whether the law with its options moves a frame.
bool MovesFrame(const LawConfig& law);

/// The frame that a law moves; fills in the defaults in `task`. @throws KeyError.
TaskFrame FindTask(const ReferenceConfig& reference, const Model& plant, TaskConfig* task);

/// @throws KeyError for a task-space reference with a joint-space law, whose joints would not
/// move.
void CheckTaskPath(const ReferenceConfig& reference, const LawConfig& law);

}  // namespace civita
