#pragma once

#include <Eigen/Core>

#include "civita/controllers/legs/leg_options.h"
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

/// Joint forces (nv, N·m or N) by which a robot on two soles rests on one of them with the angles
/// of q (nq), its centre of mass over it; that of a joint is the lesser of two: for a ground force
/// below the centre of mass, and for one below the sole's middle, across the feet. Joints that do
/// not carry the foot have zero.
Eigen::VectorXd CalcOnOneFoot(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q,
                              size_t foot);

}  // namespace civita
