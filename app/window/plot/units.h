#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"

namespace civita {

/// Units of a mechanism's quantities: those of hinges, of slides, or general SI units where both
/// occur.
struct JointUnits {
  std::string_view coordinate;  ///< name of a coordinate: "joint", "axis"
  std::string_view torque;
  std::string_view inertia;   ///< H
  std::string_view coriolis;  ///< C and Ḣ
  std::string_view torsion;   ///< ΔC per velocity
};

JointUnits UnitsOf(const Model& model);

/// Which numbers of q, and which of v, are distances; the others are angles.
struct Distances {
  std::vector<bool> q, v;
};
Distances FindDistances(const Model& model);

/// A gain's unit given for hinges, such as N·m·s/rad, converted for this model: N·s/m if it has
/// only slides.
std::string GainUnit(std::string_view unit, const Model& model);

}  // namespace civita
