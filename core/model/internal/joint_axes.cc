#include "core/model/internal/joint_axes.h"

#include <Eigen/Geometry>

#include "core/spatial/internal/eigen.h"

namespace civita::internal {

Eigen::Matrix3d JointAxes(const Link& link) {
  if (link.nv != 1 || link.along_z) return Eigen::Matrix3d::Identity();
  // Not Quaterniond::FromTwoVectors, which loses half the digits where the axis is close to −z.
  const Eigen::Vector3d z = ToVector(link.axis) / link.scale;
  const Eigen::Vector3d x = z.unitOrthogonal();
  Eigen::Matrix3d R;
  R << x, z.cross(x), z;
  return R;
}

std::vector<Link> InJointAxes(const std::vector<Link>& links) {
  std::vector<Link> turned = links;
  for (size_t b = 0; b < links.size(); ++b) {
    const Link& from = links[b];
    Link& to = turned[b];
    const Eigen::Matrix3d R_BZ = JointAxes(from);
    Eigen::Matrix3d R_ZP = Eigen::Matrix3d::Identity();
    if (from.parent >= 0) R_ZP = JointAxes(links[static_cast<size_t>(from.parent)]).transpose();
    to.R_PF = ToM3<double>(R_ZP * ToMatrix(from.R_PF) * R_BZ);
    to.p_PF = ToV3<double>(R_ZP * ToVector(from.p_PF));
    to.com = ToV3<double>(R_BZ.transpose() * ToVector(from.com));
    const Eigen::Matrix3d inertia = ToMatrix(ToM3(from.inertia));
    to.inertia = ToS3<double>(R_BZ.transpose() * inertia * R_BZ);
    if (from.nv != 1) continue;
    to.axis = {0, 0, from.scale};
    to.along_z = true;
  }
  return turned;
}

}  // namespace civita::internal
