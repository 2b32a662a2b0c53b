#pragma once

#include <Eigen/Core>
#include <memory>

#include "civita/model.h"
#include "civita/scenes/motion/reference.h"

namespace civita {

/// An exciting motion for parameter identification: q_d(t) = q_center ⊕ θ(t), each θ_i a finite
/// Fourier series of `harmonics` sines and cosines (at least 3) of base_hz with random
/// coefficients, scaled so that its maximum is amplitude_i (rad or m, nv numbers). It starts at
/// q_center with zero velocity and acceleration and has the period 1/base_hz. The same seed gives
/// the same motion on every machine.
std::unique_ptr<Reference> MakeExcitation(const Model& model, const Eigen::VectorXd& q_center,
                                          const Eigen::VectorXd& amplitude, double base_hz,
                                          int harmonics, int seed);

}  // namespace civita
