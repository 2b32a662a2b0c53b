#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

#include "civita/study/advise/torsion_along_reference.h"

namespace civita {

/// A choice of C and of gains, and what the error equations say of it along one stretch of a
/// reference: of two such settings, which has the smaller errors, and what it costs.
struct JudgedSetting {
  std::string name;           ///< "as it is", "K_D = 14.3 H"
  std::string settings = {};  ///< keys of the config, "key=value key=value"; empty: as it is
  Eigen::MatrixXd G = {};     ///< a skew gain that `settings` names; empty: none
  /// Roots of the means of ∫‖e‖²dt over starts s(0) of covariance 1 and H⁻¹, as PartDecay has them
  /// of all coordinates, with this C and with the torsion-free one.
  double joint = 0, joint_torsion_free = 0;
  double energy = 0;
  double slowest_rate = 0;  ///< 1/s, CalcSlowestRate
  double fastest_rate = 0;  ///< 1/s, the largest eigenvalue of H⁻¹(K_D + D)
  /// ‖(K_D + K)s‖ in H⁻¹ over ‖s‖_H, root of the mean over errors isotropic in energy and over
  /// time, 1/s: of K_D = k H and C_LC it is k.
  double feedback = 0;
  /// The largest delay (s) of which, held still at any sample, errors decay: with λ the eigenvalues
  /// of H⁻¹(K_D + K), atan2(Re λ, |Im λ|)/|λ|. Holding for dt counts as ½dt.
  double largest_delay_s = std::numeric_limits<double>::infinity();
};

/// Sets the numbers of a setting, in O(n³) a step of CalcErrorDecay.
void JudgeSetting(const TorsionAlongReference& along, JudgedSetting* setting);

/// JudgedSetting::largest_delay_s of each sample.
std::vector<double> CalcLargestDelays(const TorsionAlongReference& along);
/// The least of them.
double CalcLargestDelay(const TorsionAlongReference& along);
/// That of one sample; `feedback`: K_D + K.
double CalcLargestDelay(const Eigen::MatrixXd& H, const Eigen::MatrixXd& feedback);

/// A skew gain that mixes the slowest directions of H⁻¹(K_D + D) with the fastest, by pairs:
/// L Σ ½(d_j − d_i)(u_j u_iᵀ − u_i u_jᵀ) Lᵀ with u the eigenvectors of L⁻¹(K_D + D)L⁻ᵀ = U d Uᵀ,
/// H = LLᵀ. Frozen at this state each pair has the rate ½(d_i + d_j). n × n.
Eigen::MatrixXd MakeSkewGain(const TorsionAlongReference::Sample& sample);

}  // namespace civita
