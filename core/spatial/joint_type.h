#pragma once

namespace civita {

/// Type of a joint, which determines its numbers of q and v. Hinge, slide, ball and free joints
/// have MuJoCo's conventions, so that its qpos, qvel and joint forces are q, v and τ.
enum class JointType {
  kHinge,      ///< one angle about an axis fixed in the body
  kSlide,      ///< one distance along an axis
  kBall,       ///< quaternion [w x y z]; v = angular velocity in the body's axes
  kFree,       ///< position, quaternion; v = [velocity of the body origin in world axes; angular
               ///< velocity in the body's axes]
  kHelical,    ///< a screw: one angle about an axis, and pitch times it along the axis
  kUniversal,  ///< two angles: about an axis that the parent carries, then about one in the body
  kPlanar,     ///< x and y in a plane of the parent, then the angle about its normal; v = their
               ///< rates, which commute
};

/// Count of a joint's numbers in q: 1, 1, 4, 7, 1, 2, 3 in the order of JointType.
int NumPositions(JointType type);
/// Count of a joint's numbers in v: 1, 1, 3, 6, 1, 2, 3 in the order of JointType.
int NumVelocities(JointType type);
/// Offset of a joint's quaternion in its numbers of q, and of its angular velocity in its numbers
/// of v: 0 in a ball joint, 3 in a free joint, −1 in all others.
int RotationOffset(JointType type);
/// Whether at least one coordinate of the joint is a distance.
bool HasTranslations(JointType type);
const char* ToString(JointType type);

}  // namespace civita
