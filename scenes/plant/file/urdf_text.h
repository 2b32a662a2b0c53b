#pragma once

#include <map>
#include <string>
#include <vector>

#include "civita/scenes/plant/xml_text.h"

namespace civita::internal {

/// What MuJoCo is to read of a URDF.
struct UrdfText {
  std::string text;                            ///< each element in its line of the file
  std::map<std::string, double> speed_limits;  ///< > 0, by joint, rad/s or m/s
  std::map<std::string, double> armatures;     ///< > 0, by joint, of rotors: kg·m² or kg
};

/// Prepares a URDF for MuJoCo. Left out or mended, each with a line in `notices`, is what no
/// equation of motion needs or has one meaning all the same: shapes and materials that MuJoCo would
/// refuse, elements that occur twice where the first counts, limits of which the lower is above the
/// upper, negative efforts, speeds and friction, mimics without a leader, a joint's name that is
/// taken, empty attributes; links without a joint are named, and elements that would act on the
/// motion if they were read, as <loop_joint>; rotors of drake:rotor_inertia are read. Visual shapes
/// are kept with `visuals` or if there are no others. @throws UserError, with file and line, where
/// links and joints make no tree, a name or a type is missing, or an attribute is no number.
UrdfText ReadUrdf(XmlText* xml, bool visuals, std::vector<std::string>* notices);

/// Leaves out the shapes and materials of a URDF that MuJoCo refuses, and names that shapes share,
/// each with its place in `notices`.
void LeaveOutUrdfShapes(XmlText* xml, std::vector<std::string>* notices);

}  // namespace civita::internal
