#pragma once

#include "civita/study/advise/torsion_along_reference.h"

namespace civita {

/// The decay of s along a reference when the law's −(K_D + factor K) s is held for the control
/// period and late by whole periods, while the plant's C_LC and D act all the time: with
/// Φ = (H + ½dt(C_LC + D))⁻¹(H − ½dt(C_LC + D)) and Ψ = dt (H + ½dt(C_LC + D))⁻¹(K_D + factor K)
///   s_{j+1} = Φ s_j − Ψ s_{j−d}.
/// What else of the law is late, v̇_r and g, changes stability by terms without ω² (the rate of
/// decay k + (k² + kΛ − ω²)T_d instead of k + (k² − ω²)T_d) and is left out.
class HeldDecay {
 public:
  /// `along` must have a period and must outlive it. Delays are rounded to whole periods.
  explicit HeldDecay(const TorsionAlongReference& along);

  /// ½ log of the mean of V = ½ sᵀH s over that at the start, for errors that are isotropic in
  /// energy, of which a few with fixed numbers stand for all: at the end, and the largest of any
  /// time. Above 0 errors have grown; without holding V only falls, so that no growth passes by.
  /// Infinite where errors leave all bounds. 4n² operations for each of kErrors errors a step.
  struct Growth {
    double end = 0, largest = 0;
  };
  /// `until_grown`: only until they have, which is then the end.
  Growth CalcGrowth(double factor, bool until_grown = false) const;

  /// The largest factor on K without growth, at the end or at `any_time`, by bisection to 1 %: 0
  /// where errors grow without K, infinite where they do not grow with `most`.
  double FindLargestFactor(double most, bool any_time) const;

  static constexpr int kErrors = 6;
  static constexpr long kMostSteps = 4000;  ///< of the period; later samples are left out

 private:
  const TorsionAlongReference& along_;
  int delay_ = 0;                                     ///< periods
  std::vector<Eigen::MatrixXd> Phi_, Psi_D_, Psi_K_;  ///< by sample
};

}  // namespace civita
