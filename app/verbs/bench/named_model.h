#pragma once

#include <string>

#include "civita/model.h"

namespace civita {

/// A mechanism that `civita bench` is asked to time.
struct NamedModel {
  std::string name;
  Model model;
  bool for_peers = false;  ///< one of MakeBenchModel
};

/// One of MakeBenchModel, a scene, an MJCF or a URDF file. @throws UserError that says what there
/// is.
NamedModel FindModel(const std::string& name);

}  // namespace civita
