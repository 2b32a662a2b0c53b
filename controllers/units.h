#pragma once

#include <string>

#include "civita/model.h"

namespace civita {

/// Unit of position differences: "rad", "m", or "rad, m".
std::string PositionUnit(const Model& model);
/// Unit of joint forces: "N·m", "N", or "N·m, N".
std::string JointForceUnit(const Model& model);

}  // namespace civita
