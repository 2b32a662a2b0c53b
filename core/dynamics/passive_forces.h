#pragma once

#include "civita/model.h"
#include "civita/types.h"

namespace civita {

/// τ += factor times the forces that the joints exert by themselves, as JointProperties models
/// them:
///   −stiffness (q − spring_reference) − damping v − frictionloss tanh(v / friction_speed),
/// N·m or N, nv numbers. Dry friction has no force at rest; it reaches three quarters of its size
/// at friction_speed (rad/s or m/s, > 0). Allocates nothing.
void AddPassiveForces(const Model& model, VectorIn<double> q, VectorIn<double> v,
                      double friction_speed, double factor, VectorOut<double> tau);

}  // namespace civita
