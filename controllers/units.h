#pragma once

#include <string>

#include "civita/model.h"

namespace civita {

/// Of differences of positions: "rad", "m", or "rad, m".
std::string PositionUnit(const Model& model);
/// Of joint forces: "N·m", "N", or "N·m, N".
std::string JointForceUnit(const Model& model);

}  // namespace civita
