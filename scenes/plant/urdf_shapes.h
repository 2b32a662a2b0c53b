#pragma once

#include <string>
#include <vector>

#include "civita/scenes/plant/xml_text.h"

namespace civita::internal {

/// Leaves out the shapes and materials of a URDF that MuJoCo refuses, and names that shapes share,
/// each with its place in `notices`.
void LeaveOutUrdfShapes(XmlText* xml, std::vector<std::string>* notices);

}  // namespace civita::internal
