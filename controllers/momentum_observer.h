#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/controllers/signal_info.h"

namespace civita {

/// Parameters of a momentum observer.
struct ObserverOptions {
  Eigen::VectorXd K_I;        ///< 1/s, nv gains; empty: no observer
  Eigen::VectorXd threshold;  ///< N·m or N, nv values; empty: no contact indicator
  bool compensate = false;    ///< subtract the estimate from the torque
};

/// Momentum observer (De Luca and Mattone 2003): estimates the joint force τ_ext that the model
/// does not explain, using neither accelerations nor Ḣ,
///   r = K_I (p − p(0) − ∫(τ + Cᵀv − g + r) dt),   p = H v,
/// with τ the torque that reached the joints plus the modelled passive forces. As Ḣ = C + Cᵀ, the
/// momentum has ṗ = τ + Cᵀv − g + τ_ext, so that ṙ = K_I (τ_ext − r): r approaches a constant
/// force as 1 − e^(−K_I t). Holds for every admissible C, of which only Cᵀv enters. K_I is
/// diagonal.
///
/// Its state is z = p(0) + ∫(…) dt, nv numbers whose initial value is p(0).
///
/// On closed chains, v = A w with K A = 0, the tree's momentum has ṗ = τ + Cᵀv − g + τ_ext + Kᵀλ
/// with the loops' forces λ. AᵀH v has
///   d/dt AᵀH v = Aᵀτ + AᵀCᵀv + ȦᵀH v − Aᵀg + Aᵀτ_ext
/// without them, and that is what is observed: r has the numbers of Aᵀτ_ext at the independent
/// coordinates, zeros at the others, and does the work of τ_ext on every motion of the loops
/// (ChangeMomentumRate).
///
/// Compensation adds −r to the law's torque. In the law's proof this is one more external force:
/// V̇ = −P + sᵀ(τ_ext − r), so pushes act on V only by the part that r has not yet converged to.
/// With a constant τ_ext and s = v − v_r, V + ½(τ_ext − r)ᵀQ(τ_ext − r) decreases where Q K_I > ¼
/// K_D⁻¹: errors then converge to zero where the law alone keeps an offset. Model errors (inertia,
/// friction) count as τ_ext, and a contact is opposed with its own force.
class MomentumObserver {
 public:
  explicit MomentumObserver(ObserverOptions options);

  /// Computes the estimate r from the state z, with the momentum p and `rate`, what the model knows
  /// of ṗ but for the torque: Cᵀv − g + passive forces (nv each). Allocates nothing.
  void Update(const Eigen::VectorXd& p, const Eigen::VectorXd& rate,
              const Eigen::Ref<const Eigen::VectorXd>& z);
  /// ż of the last Update, with the torque that reaches the joints (nv). Allocates nothing.
  void CalcRate(const Eigen::VectorXd& tau_applied, Eigen::Ref<Eigen::VectorXd> zdot) const;

  const Eigen::VectorXd& r() const { return r_; }
  bool compensates() const { return options_.compensate; }

  /// The signals /disturbance, r; with thresholds also /contact, 1 where |r_i| exceeds its
  /// threshold, and /in_contact, 1 where any does. `unit` is that of joint forces.
  std::vector<SignalInfo> Signals(const std::string& unit) const;
  Eigen::Index num_signals() const { return r_.size() + (has_indicator() ? r_.size() + 1 : 0); }
  void FillSignals(Eigen::Ref<Eigen::VectorXd> signals) const;

 private:
  bool has_indicator() const { return options_.threshold.size() > 0; }

  ObserverOptions options_;
  Eigen::VectorXd r_;
  Eigen::VectorXd known_;  ///< `rate` + r
};

}  // namespace civita
