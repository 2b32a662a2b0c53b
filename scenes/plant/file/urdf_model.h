#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "civita/constraint.h"

namespace civita {

struct UrdfModel {
  Model model;
  Constraints loops;  ///< joints that mimic others
};

/// A URDF's model for equations without MuJoCo: to rounding what BuildModel and ReadConstraints
/// make of LoadModelFile's, with its notices. `free_base`: the body that carries all that move gets
/// a free joint `root_joint`. nullopt, without notices, for what MuJoCo decides or refuses: joints
/// other than revolute, continuous, prismatic and fixed, <mujoco>, negative damping, moving links
/// without inertia; and for other files. @throws UserError as LoadModelFile.
std::optional<UrdfModel> LoadUrdfModel(const std::filesystem::path& file, bool free_base,
                                       std::vector<std::string>* notices);

}  // namespace civita
