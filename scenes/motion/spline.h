#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "civita/model.h"
#include "civita/scenes/motion/reference.h"

namespace civita {

/// Where a motion is at growing times, by column; at least two of them.
struct Knots {
  std::vector<double> t;  ///< s
  Eigen::MatrixXd q;      ///< nq × n
  Eigen::MatrixXd v;      ///< nv × n; empty: chosen by MakeSpline
  Eigen::MatrixXd vdot;   ///< nv × n; empty: chosen by MakeSpline
};

/// The motion through the knots by quintic pieces, on the manifold: each piece is q_k ⊕ θ(t) with
/// the velocity and acceleration at both its ends, so that q, v and v̇ are continuous for rotations
/// too. Velocities and accelerations that the knots leave open are those of least ∫‖jerk‖² dt (of
/// the piece-wise rotation vectors), at rest at both ends where the velocities are open. Before and
/// after its knots the motion stands still. With `repeat` there and back for ever, which needs rest
/// at both ends.
std::unique_ptr<Reference> MakeSpline(const Model& model, Knots knots, bool repeat = false);

/// The first way between two knots that no robot could follow: a coordinate's mean speed is beyond
/// 100 rad/s or m/s.
struct Jump {
  int knot = 0;  ///< where it ends
  int iv = 0;
  double way = 0;  ///< rad or m
};
std::optional<Jump> FindJump(const Model& model, const Knots& knots);

}  // namespace civita
