#pragma once

#include <Eigen/Geometry>
#include <limits>
#include <string>
#include <vector>

#include "civita/model.h"
#include "civita/scenes/plant/xml_text.h"

namespace civita::internal {

struct UrdfJoint {
  pugi::xml_node element;
  std::string name, type;
  std::string parent = {}, child = {};                     ///< links
  std::string leader = {};                                 ///< the joint that it mimics
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< of the child in the parent's frame
  JointProperties properties = {};                         ///< but for name and anchor
  double multiplier = 1, offset = 0;                       ///< of the leader's position

  bool has_axis() const;  ///< one coordinate
};

struct UrdfLink {
  std::string name;
  MassProperties mass;
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< in which mass.inertia is
};

/// What a URDF has, in the order of the file.
struct UrdfTree {
  std::vector<UrdfLink> links;  ///< first `world` if the file leaves it out
  std::vector<UrdfJoint> joints;
};

/// Reads a URDF and leaves in the XML what MuJoCo can read. Left out or mended, each with a line in
/// `notices`, is what no equation of motion needs or has one meaning all the same: shapes and
/// materials that MuJoCo would refuse, elements that occur twice where the first counts, limits of
/// which the lower is above the upper, negative efforts, speeds and friction, mimics without a
/// leader, a joint's name that is taken, empty attributes; links without a joint are named, and
/// elements that would act on the motion if they were read, as <loop_joint>; rotors of
/// drake:rotor_inertia are read. @throws UserError, with file and line, where links and joints make
/// no tree, a name or a type is missing, or an attribute is no number.
UrdfTree ReadUrdf(XmlText* xml, std::vector<std::string>* notices);

/// What MuJoCo is to read of a URDF that ReadUrdf has read, each element in its line of the file.
/// Visual shapes are kept with `visuals` or if there are no others.
std::string WriteUrdf(XmlText* xml, bool visuals);

/// Leaves out the shapes and materials of a URDF that MuJoCo refuses, and names that shapes share,
/// each with its place in `notices`.
void LeaveOutUrdfShapes(XmlText* xml, std::vector<std::string>* notices);

}  // namespace civita::internal
