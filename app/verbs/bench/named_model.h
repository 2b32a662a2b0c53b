#pragma once

#include <string>

#include "civita/model.h"

namespace civita {

/// A mechanism to be timed.
struct NamedModel {
  std::string name;
  Model model;
  bool for_peers = false;  ///< made by MakeBenchModel
};

/// A model of MakeBenchModel, a scene, an MJCF or a URDF file. @throws UserError that lists the
/// choices.
NamedModel FindModel(const std::string& name);

}  // namespace civita
