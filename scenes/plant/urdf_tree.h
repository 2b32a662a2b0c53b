#pragma once

#include <string>
#include <vector>

#include "civita/scenes/plant/xml_text.h"

namespace civita::internal {

/// Checks that a URDF's links and joints, which have names, are trees. Links without a parent are
/// named in `notices` when there are several, which all are fixed to the world; mimics that follow
/// no moving joint, or one another in a circle, are left out with a line each. @throws UserError,
/// with file and line, for a link's name that is missing or taken, a joint's link that is not
/// there, a second parent, and joints in a circle.
void CheckUrdfTree(XmlText* xml, std::vector<std::string>* notices);

}  // namespace civita::internal
