#pragma once

#include <Eigen/Core>

#include "civita/controllers/legs/leg_options.h"
#include "civita/controllers/legs/support.h"
#include "civita/model.h"

namespace civita {

/// The forces that hold a legged robot at rest.
struct Standing {
  Eigen::VectorXd tau;  ///< nv: joint forces within the effort limits where possible, N·m or N
  Eigen::VectorXd tau_free;  ///< the same for forces of the feet that disregard the limits
  /// Distance of the centre of mass from the edge of the feet's support, m; positive inside.
  double margin = 0;
  /// What the feet do not give within the effort limits, as a share of the weight and of the weight
  /// times the height of the centre of mass.
  double unmet_force = 0, unmet_moment = 0;
};

/// Finds contact forces of all feet (ContactForces) and joint forces for which the robot would rest
/// at q (nq): g(q) and the springs' forces are S τ + Σ Jᵀf. The model needs gravity.
Standing CalcStanding(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q);

/// The largest horizontal push through the centre of mass that a robot stands without a step.
struct PushCeiling {
  double impulse = 0;   ///< m·ω·d, ω = √(g/h) of the height h of the centre of mass, N·s
  double distance = 0;  ///< d, from below the centre of mass to the centre of pressure, m
  int joint = -1;       ///< the coordinate whose effort limit bounds d; −1: none does
  bool by_friction = false;  ///< d is bounded by the coefficient of friction: d = μ·h
};

/// Finds by a linear programme how far along the horizontal unit vector u the feet can press at q
/// (nq): forces in friction pyramids of `legs.friction`, one of whose axes is u, that accelerate
/// the centre of mass by −ω² d u without turning the robot, all its links as the centre of mass,
/// while joints between base and feet keep their effort limits. Zero without gravity, and where no
/// such forces exist.
PushCeiling CalcPushCeiling(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q,
                            const Point2& u);

/// Joint forces (nv, N·m or N) by which a robot on two soles rests on one of them with the angles
/// of q (nq), its centre of mass over it; that of a joint is the lesser of two: for a ground force
/// below the centre of mass, and for one below the sole's middle, across the feet. Joints that do
/// not carry the foot have zero.
Eigen::VectorXd CalcOnOneFoot(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q,
                              size_t foot);

}  // namespace civita
