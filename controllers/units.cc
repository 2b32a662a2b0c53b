#include "civita/controllers/units.h"

namespace civita {

std::string PositionUnit(const Model& model) {
  bool angle = false, length = false;
  for (const Model::NamedJoint& joint : model.joints()) {
    if (joint.type != JointType::kSlide) angle = true;
    if (NumDistances(joint.type) > 0) length = true;
  }
  if (angle && length) return "rad, m";
  return length ? "m" : "rad";
}

std::string JointForceUnit(const Model& model) {
  const std::string position = PositionUnit(model);
  return position == "rad" ? "N·m" : position == "m" ? "N" : "N·m, N";
}

}  // namespace civita
