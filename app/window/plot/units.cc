#include "app/window/plot/units.h"

#include <algorithm>

namespace civita {

JointUnits UnitsOf(const Model& model) {
  bool rotates = false, slides = false;
  for (const Model::NamedJoint& joint : model.joints()) {
    if (joint.type != JointType::kSlide) rotates = true;
    if (NumDistances(joint.type) > 0) slides = true;
  }
  if (rotates && slides) {
    return {"joint", "N·m, N", "in SI units", "in SI units", "in SI units"};
  }
  if (slides) return {"axis", "N", "kg", "N·s/m", "kg/m"};
  return {"joint", "N·m", "kg·m²", "N·m·s", "kg·m²"};
}

Distances FindDistances(const Model& model) {
  Distances found{std::vector<bool>(static_cast<std::size_t>(model.nq())),
                  std::vector<bool>(static_cast<std::size_t>(model.nv()))};
  for (const Model::NamedJoint& joint : model.joints()) {
    for (int i = 0; i < NumDistances(joint.type); ++i) {
      const int iq = joint.iq + i, iv = joint.iv + i;
      found.q[static_cast<std::size_t>(iq)] = true;
      found.v[static_cast<std::size_t>(iv)] = true;
    }
  }
  return found;
}

std::string GainUnit(std::string_view unit, const Model& model) {
  const bool only_slides =
      std::all_of(model.joints().begin(), model.joints().end(),
                  [](const Model::NamedJoint& joint) { return joint.type == JointType::kSlide; });
  std::string text(unit);
  if (!only_slides) return text;
  const auto replace = [&text](std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at != text.npos) text.replace(at, from.size(), to);
  };
  replace("N·m", "N");
  replace("rad", "m");
  return text;
}

}  // namespace civita
