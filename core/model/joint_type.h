#pragma once

namespace civita {

/// Joints and their velocity coordinates. Those that MuJoCo has are in its conventions, so that
/// qpos, qvel and joint torques pass through unchanged.
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

/// Numbers that a joint takes in q (1, 1, 4, 7, 1, 2, 3) and in v (1, 1, 3, 6, 1, 2, 3).
int NumPositions(JointType type);
int NumVelocities(JointType type);
/// Where a joint's rotation begins in its numbers of q, a quaternion, and in its numbers of v,
/// three rates that do not commute: 0 in a ball, 3 in a free joint, −1 in all others.
int RotationOffset(JointType type);
/// Whether some of a joint's coordinates are distances.
bool HasTranslations(JointType type);
const char* ToString(JointType type);

}  // namespace civita
