#pragma once

#include "civita/model.h"
#include "civita/types.h"

namespace civita {

/// Dry friction that is smooth in the velocity v, in the place of frictionloss · sign(v).
struct SmoothFriction {
  /// rad/s or m/s, > 0: tanh(v / speed), zero at rest and three quarters of frictionloss at that
  /// speed.
  double speed;
  /// Softer friction: a velocity for each coordinate and, after these nv numbers, each of
  /// model.tendons(), from which on its dry friction is full, and below which it is proportional to
  /// v; 0, and for all if empty: tanh(v / speed) as above. MuJoCo's friction, a soft constraint, is
  /// of this kind (of a joint that does not accelerate).
  Eigen::Ref<const Eigen::VectorXd> full_speeds = Eigen::VectorXd();
};

/// Adds `factor` times the passive forces of all joints and tendons (JointProperties,
/// TendonProperties) at q (nq numbers) and v (nv numbers) to τ (nv numbers, N·m or N), in O(nv +
/// the terms of tendons). Allocates nothing.
void AddPassiveForces(const Model& model, VectorIn<double> q, VectorIn<double> v,
                      const SmoothFriction& friction, double factor, VectorOut<double> tau);

/// Adds `factor` times the derivatives of these forces by q, along q ⊕ δ e_j, and by v (nv × nv
/// each) to dtau_dq and dtau_dv, in O(nv + the squares of the terms of tendons). At the ends of its
/// range of rest a tendon has the derivative that it has within, and friction at its full speed the
/// one below. Allocates nothing.
void AddPassiveForceDerivatives(const Model& model, VectorIn<double> q, VectorIn<double> v,
                                const SmoothFriction& friction, double factor,
                                MatrixOut<double> dtau_dq, MatrixOut<double> dtau_dv);

/// Adds `factor` times the part of AddPassiveForces that is due to dampers at v, without dry
/// friction.
void AddDampingForces(const Model& model, VectorIn<double> v, double factor, VectorOut<double> tau);

/// The power sᵀ(d(v_r + s) − d(v_r)) in W, with −d(v) what damping and dry friction add in
/// AddPassiveForces: what they take from a storage ½ sᵀH s, s = v − v_r, whose law feeds them
/// forward at v_r. sᵀD s for linear damping. It is ≥ 0 where each damper's force grows with its
/// velocity: for damping a, damping_poly (b, c) at every velocity where a, c ≥ 0 and b ≥ −√(3 a c).
double CalcPassiveDissipation(const Model& model, VectorIn<double> v_r, VectorIn<double> s,
                              const SmoothFriction& friction);

}  // namespace civita
