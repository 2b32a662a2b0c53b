#pragma once

#include "civita/factorization.h"
#include "civita/model.h"

namespace civita {

/// A random three-form with constant components, a torsion without a direction of its own: in
/// velocities σ = Lᵀv, H = LLᵀ at Model::DefaultPosition, its components ω̂_abc, a < b < c, are
/// independent with one variance (each the sum of 12 uniform numbers less 6, by SplitMix64 from the
/// seed, which are the same bits everywhere), and ω_ijk = Σ ω̂_abc L_ia L_jb L_kc.
///
/// `size` (rad/s) is how fast it turns: the root of the mean of ‖L⁻¹K(v)L⁻ᵀ‖_F²/n there, K_ik =
/// Σ_j ω_ijk v_j, over velocities v of covariance 1 (rad/s and m/s alike). Some n⁴ operations.
/// @throws UserError for fewer than 3 or more than kMostVelocities velocities, and where H is
/// singular.
Factorization::ThreeForm MakeRandomThreeForm(const Model& model, int seed, double size = 1);

inline constexpr int kMostVelocities = 80;  ///< of a random three-form, which has nv³/6 components

}  // namespace civita
