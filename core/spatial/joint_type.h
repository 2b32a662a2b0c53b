#pragma once

#include <span>

#include "civita/language.h"

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

/// All types, in the order of JointType.
std::span<const JointType> JointTypes();

/// Count of a joint's numbers in q.
int NumPositions(JointType type);
/// Count of a joint's numbers in v.
int NumVelocities(JointType type);
/// Offset of a joint's quaternion in its numbers of q, and of its angular velocity in its numbers
/// of v: 0 in a ball joint, 3 in a free joint, −1 in all others.
int RotationOffset(JointType type);
/// How many of the joint's numbers are distances; these come first in q and v.
int NumDistances(JointType type);
const char* ToString(JointType type);
/// What the joint's numbers of v are, with their units.
const char* DescribeVelocity(JointType type);
/// What number k of the joint's v adds to the joint's name: "" where it is the only one, ".wx".
/// 0 <= k < NumVelocities(type).
const char* VelocityEnding(JointType type, int k);

}  // namespace civita
