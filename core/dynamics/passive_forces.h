#pragma once

#include "civita/model.h"
#include "civita/types.h"

namespace civita {

/// Adds `factor` times the passive forces of all joints (JointProperties) at q (nq numbers) and v
/// (nv numbers) to τ (nv numbers, N·m or N), in O(nv):
///   −stiffness (q − spring_reference) − damping v − frictionloss tanh(v / friction_speed).
/// `friction_speed` (rad/s or m/s, > 0) smooths dry friction, which is zero at rest and three
/// quarters of frictionloss at that speed. Allocates nothing.
void AddPassiveForces(const Model& model, VectorIn<double> q, VectorIn<double> v,
                      double friction_speed, double factor, VectorOut<double> tau);

}  // namespace civita
