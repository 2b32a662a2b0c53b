#pragma once

#include "civita/joint_type.h"
#include "civita/spatial.h"

namespace civita::internal {

/// The numbers of a body and of the joint that moves it (Model::Body).
struct Link {
  JointType joint;  ///< hinge, slide, ball, free or helical
  int parent;       ///< body, −1 the world; less than its own index
  int iq, iv, nv;
  M3<double> R_PF;  ///< joint's fixed frame in the parent body
  V3<double> p_PF;
  V3<double> axis;   ///< in the body's axes, of length angle or distance per unit of q
  bool along_z;      ///< the axis is scale·z: then hinges need fewer products
  double pitch;      ///< helical: metres along the axis per radian
  double reference;  ///< of q, where the body sits as placed
  double scale;      ///< angle or distance per unit of q
  /// Hinge, helical: R_PB = R_axis + R_cos·cos(scale·(q − q₀)) + R_sin·sin(scale·(q − q₀)), the
  /// rotation about the axis times R_PF. Not used where along_z.
  M3<double> R_axis, R_cos, R_sin;
  double mass;
  V3<double> com;      ///< in the body's axes
  S3<double> inertia;  ///< about the centre of mass, in the body's axes

  /// The first coordinate along which the body carries its motion. Those before it, the
  /// translations of a free joint, the world carries: their Φ̇ = 0.
  CIVITA_INLINE int first_carried() const { return iv + (joint == JointType::kFree ? 3 : 0); }
};

/// A Model as the algorithms read it: tables indexed by body or by velocity coordinate.
struct Tree {
  int nv, num_bodies;
  const Link* links;       ///< by body
  const int* parent;       ///< by coordinate: the one before it on its path, −1 at the root
  const int* body;         ///< by coordinate: the body that it moves first
  const int* depth;        ///< by coordinate: how many come before it on its path
  const int* order;        ///< coordinates depth-first: what moves k comes before k
  const int* triple;       ///< by coordinate: Model::rotation_triple
  const double* armature;  ///< by coordinate
  V3<double> gravity;

  /// Whether two coordinates are rotations of one ball or free joint; one may be −1.
  CIVITA_INLINE bool InOneTriple(int j, int k) const {
    return k >= 0 && triple[j] >= 0 && triple[j] == triple[k];
  }

  /// j ▷ k: whether the flow of coordinate j changes Φ_k, of two coordinates on one path.
  CIVITA_INLINE bool Moves(int j, int k) const {
    return j != k && (depth[j] < depth[k] || InOneTriple(j, k));
  }

  /// The last coordinate of the body's joint: its path leads over `parent` to the world.
  CIVITA_INLINE int LastCoordinate(int b) const { return links[b].iv + links[b].nv - 1; }
};

}  // namespace civita::internal
