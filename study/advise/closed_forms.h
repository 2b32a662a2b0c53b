#pragma once

#include <vector>

#include "civita/study/advise/torsion_along_reference.h"

namespace civita {

/// How fast and how unevenly the contorsion K(v_d) turns errors along a reference, with A = H⁻¹K
/// and Ω = L⁻¹KL⁻ᵀ, H = LLᵀ, which is skew. All rad/s; they do not depend on gains.
struct TurningRates {
  /// Root over time of the mean of ω_F² = ‖Ω‖_F²/n: the mean square of ‖H⁻¹Ks‖_H/‖s‖_H over errors
  /// that are isotropic in energy.
  double omega_F = 0;
  /// Root mean square over time, and the largest, of ω₂ = ‖Ω‖₂, the fastest turning of any error.
  double omega_2 = 0, omega_2_max = 0;
  /// Root over time of the mean of η² = (‖A‖_F² − ‖Ω‖_F²)/n, the departure of A from normality
  /// (Henrici 1962) in joint units: 0 where H is a multiple of 1. Of mixed rad and m it depends on
  /// the unit of length.
  double eta = 0;
};

/// What K changes, relative to C_LC, of the root of ∫‖e‖²dt of one part of the error, after a
/// velocity error s(0) with e(0) = 0 at any time of the reference, H and A held: 0.05 is 5 % more.
/// The changes are derived with c = (2k+Λ)/(2k(k+Λ)), p = (2k+Λ)/(2k²(k+Λ)), r = p + 1/(k+Λ)² from
/// ∫‖P e‖²dt ∝ tr P(W − 2c AW + p AWAᵀ + r A²W), W the covariance of s(0), to second order in A.
/// For P = W = 1 the mean change is ½(p N − ‖Ω‖_F²/(k+Λ)²)/n with N = ‖A‖_F² − ‖Ω‖_F²: above 0
/// where H is far from round, below 0 where it is near; for W = H⁻¹ it is −½ tr(AH⁻¹Aᵀ)/((k+Λ)² tr
/// H⁻¹).
struct PartChange {
  /// Means over time of the least and largest eigenvalue of (A + Aᵀ)/2 among the part's
  /// coordinates, 1/s.
  double lambda_min = 0, lambda_max = 0;
  /// First order, over starts s(0) in the part alone: −c λ_min and c λ_max, both ≥ 0.
  double largest_increase = 0, largest_decrease = 0;
  /// Means over all starts: of covariance 1 (rad/s and m/s alike), isotropic in energy (H⁻¹), and
  /// of independent impulses at the joints (H⁻²). NaN where the mean square changes by more than
  /// half: the second order in A does not tell then.
  double joint_mean = 0, energy_mean = 0, impulse_mean = 0;
};

/// The closed formulas of what a contorsion changes where K_D + D = k H and Λ is one number.
struct ClosedForms {
  double k = 0, Lambda = 0;  ///< 1/s
  /// rad: ln(100) ω_F/k, the angle that K turns s by until it has decayed to 1 %.
  double turning = 0;
  /// Relative increase √(1 + ω_F²/k²) − 1 of the feedback torque's norm in H⁻¹, root of the mean
  /// over errors isotropic in energy.
  double feedback_torque = 0;
  /// ω₂²(T_d + dt/2)/k with the rms of ω₂: the share of the rate of decay that holding and delay
  /// take because of K; 1: all of it.
  double sampling_share = 0;
  /// By which factor K may grow until holding and delay make errors grow, ω_c/ω₂: with the rms of
  /// ω₂, as growth is ∝ the mean of ω₂² while the turning plane stays, and with the largest ω₂,
  /// below which errors grow at no time. Infinite without holding and delay, or without K.
  double largest_factor = 0, safe_factor = 0;
  std::vector<PartChange> parts;  ///< of TorsionAlongReference::parts
};

/// The largest rate of turning ω_c (rad/s) at which s, σ̇ = −(k + Ω)σ, decays when its feedback is
/// held for dt and late by T_d (s): ω_c² = k(2/dt − k) for T_d = 0, otherwise atan(k/ω)/√(k² + ω²)
/// = T_d + dt/2. Infinite for dt = T_d = 0; 0 where errors grow without turning.
double CalcCriticalTurning(double k, double dt_s, double delay_s);

/// In one pass over the samples: 0.1 ms each for 26 velocities.
TurningRates CalcTurningRates(const TorsionAlongReference& along);

/// @throws ContractError unless along.has_one_rate().
ClosedForms CalcClosedForms(const TorsionAlongReference& along, const TurningRates& rates);

}  // namespace civita
