#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "civita/model.h"
#include "civita/scenes/motion/reference.h"

namespace civita {

/// A motion given at increasing times, by column; at least two.
struct Knots {
  std::vector<double> t;  ///< s
  Eigen::MatrixXd q;      ///< nq × n
  Eigen::MatrixXd v;      ///< nv × n; empty: chosen by MakeSpline
  Eigen::MatrixXd vdot;   ///< nv × n; empty: chosen by MakeSpline
};

/// A motion through the knots by quintic pieces on the manifold: each piece is q_k ⊕ θ(t) with the
/// velocity and acceleration given at both its ends, so that q, v and v̇ are continuous for
/// rotations too. Velocities and accelerations that the knots do not give minimize ∫‖jerk‖² dt (of
/// the piecewise rotation vectors); where the velocities are not given, the motion is at rest at
/// both ends. Before and after its knots the motion stands still. With `repeat` it goes back and
/// forth forever, which needs rest at both ends.
std::unique_ptr<Reference> MakeSpline(const Model& model, Knots knots, bool repeat = false);

/// A step between two knots that no robot could follow: a coordinate's mean speed exceeds 100
/// rad/s or m/s.
struct Jump {
  int knot = 0;  ///< knot at which it ends
  int iv = 0;
  double way = 0;  ///< rad or m
};
std::optional<Jump> FindJump(const Model& model, const Knots& knots);

}  // namespace civita
