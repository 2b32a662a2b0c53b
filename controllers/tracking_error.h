#pragma once

#include <Eigen/Core>

#include "civita/controllers/measurement.h"
#include "civita/model.h"

namespace civita {

/// Errors against a reference on the configuration manifold, all as tangent vectors at q, nv
/// numbers. For a rotation (R against R_d, E = R_dᵀR): e = Log E, the desired velocity carried
/// into the body's axes ω̃ = Eᵀω_d, its rate Eᵀω̇_d − ω×ω̃, and ė = J_r⁻¹(e)(ω − ω̃). For all
/// other coordinates plain differences.
struct TrackingError {
  Eigen::VectorXd e;       ///< q ⊖ q_d
  Eigen::VectorXd edot;    ///< its exact rate
  Eigen::VectorXd v_d;     ///< the desired velocity carried to q
  Eigen::VectorXd vdot_d;  ///< the exact rate of v_d along the motion
  explicit TrackingError(int nv);
};

/// Checks that q, v and vdot of a reference have the model's sizes. @throws ContractError.
void CheckReference(const Model& model, const ReferenceState& reference);

/// Computes the errors of q (nq) and v (nv). Quaternions need not have unit length. Allocates
/// nothing.
void CalcTrackingError(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       const ReferenceState& reference, TrackingError& error);

/// The joint force with forceᵀ(v − v_d) = pᵀė for every v: force = J_eᵀ p, where ė = J_e (v − v_d)
/// and J_e is J_r⁻¹(e) for rotations, 1 else. So −J_eᵀK_P e is the force of the potential ½eᵀK_P
/// e. All vectors have nv numbers. Allocates nothing.
void CalcErrorForce(const Model& model, const Eigen::VectorXd& e, const Eigen::VectorXd& p,
                    Eigen::VectorXd& force);

}  // namespace civita
