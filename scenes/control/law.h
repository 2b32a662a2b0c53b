#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/scenes/schema/key_row_fwd.h"

namespace civita {

/// The control law, what it takes the robot for and its gains: `controller` and `gains`.
struct LawConfig {
  std::string controller = "slotine_li";
  std::string factorization = "christoffel";
  GainForm gain_form = GainForm::kMass;
  double model_scale = 1;          ///< the controller's inertias over the model file's
  std::filesystem::path estimate;  ///< of some bodies' inertias in place of that; or none
  LawOptions law_options;          ///< of the law's own table, LawInfo::options
  std::map<std::string, std::vector<double>> gains;  ///< by key; one number or nv
};
std::span<const KeyRow<LawConfig>> LawKeys();   ///< below `controller`
std::span<const KeyRow<LawConfig>> GainKeys();  ///< `gains`

/// The law with its gains, of the controller's model. `options` hold what follows from the plant
/// and from other sections; those of this section are filled in, and what it leaves open, too.
/// Relative files of the factorization are in `directory`. @throws KeyError.
std::unique_ptr<Controller> MakeController(const Model& control_model,
                                           const std::filesystem::path& directory,
                                           ControllerOptions options, LawConfig* config);

}  // namespace civita
