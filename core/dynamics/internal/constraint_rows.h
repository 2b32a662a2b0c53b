#pragma once

#include <array>

#include "core/dynamics/internal/relative_motion.h"
#include "core/model/internal/constraint_layout.h"
#include "core/spatial/internal/polynomial.h"

// What the rows of constraints are made of, with the places of relative_motion.h. Whose rows they
// are, VelocitySpace's (core/space/internal/loop_rows.h) or ConstrainedDynamics', chooses axes,
// order and units.

namespace civita::internal {

/// put(k, x) of each coordinate k of a leg from its end inwards, with the velocity x = [ω; ṗ] in
/// world axes that it gives the point p, from the reference point of the leg's tree.
template <typename T, typename Put>
void ForEachColumn(const Tree& tree, const Leg& leg, const V3<T>& p, const Scratch<T>& s,
                   const Put& put) {
  for (auto b = leg.path.rbegin(); b != leg.path.rend(); ++b) {
    for (int k = tree.LastCoordinate(*b); k >= tree.links[*b].iv; --k)
      put(k, Motion<T>{s.Phi[k].w, PointVelocity(s.Phi[k], p)});
  }
}

/// The position that a joint's row gives it, less its reference, and the first three derivatives.
template <typename T>
std::array<T, 4> Followed(const JointRow& row, VectorIn<T> q) {
  const T x = row.leader_iq < 0 ? T(0) : q[row.leader_iq] - T(row.of.leader_reference);
  return EvaluatePolynomial<T>(row.of.polynomial, x);
}

/// The error of a joint's row, rad or m.
template <typename T>
T ErrorOf(const JointRow& row, VectorIn<T> q) {
  return q[row.iq] - T(row.of.reference) - Followed<T>(row, q)[0];
}

}  // namespace civita::internal
