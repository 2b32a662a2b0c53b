#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/controllers/signal_info.h"

namespace civita {

/// What a momentum observer is made of.
struct ObserverOptions {
  Eigen::VectorXd K_I;        ///< 1/s, nv numbers; empty: no observer
  Eigen::VectorXd threshold;  ///< N·m or N, nv numbers; empty: no contact indicator
  bool compensate = false;    ///< take the estimate off the torque
};

/// Momentum observer (De Luca and Mattone 2003): the joint force τ_ext that the model does not
/// explain, from neither accelerations nor Ḣ,
///   r = K_I (p − p(0) − ∫(τ + Cᵀv − g + r) dt),   p = H v,
/// with τ the torque that reached the joints and the modelled passive forces. As Ḣ = C + Cᵀ, the
/// momentum has ṗ = τ + Cᵀv − g + τ_ext, so that ṙ = K_I (τ_ext − r): r follows a constant force as
/// 1 − e^(−K_I t). Holds for every admissible C, of which only Cᵀv enters. K_I is diagonal.
///
/// Its state is z = p(0) + ∫(…) dt, nv numbers that begin as p(0).
///
/// Compensation adds −r to the law's torque. To the law's proof that is one more force from
/// outside: V̇ = −P + sᵀ(τ_ext − r), so pushes act on V by what the observer has not yet seen of
/// them. With a constant τ_ext and s = v − v_r, V + ½(τ_ext − r)ᵀQ(τ_ext − r) falls where
/// Q K_I > ¼ K_D⁻¹: errors then go to zero where a law without it keeps an offset. Errors of the
/// model (inertia, friction) count as τ_ext, and a contact is pushed back at with its own force.
class MomentumObserver {
 public:
  explicit MomentumObserver(ObserverOptions options);

  /// The estimate r with the state z. `bias` is g less the modelled passive forces. Allocates
  /// nothing.
  void Update(const Eigen::MatrixXd& H, const Eigen::MatrixXd& C, const Eigen::VectorXd& v,
              const Eigen::VectorXd& bias, const Eigen::Ref<const Eigen::VectorXd>& z);
  /// ż of the last Update, with the torque that reaches the joints. Allocates nothing.
  void CalcRate(const Eigen::VectorXd& tau_applied, Eigen::Ref<Eigen::VectorXd> zdot) const;

  const Eigen::VectorXd& r() const { return r_; }
  bool compensates() const { return options_.compensate; }

  /// /disturbance, r; with thresholds also /contact, 1 where |r_i| is above its own, and
  /// /in_contact, 1 where any is. `unit` is that of joint forces.
  std::vector<SignalInfo> Signals(const std::string& unit) const;
  Eigen::Index num_signals() const { return r_.size() + (has_indicator() ? r_.size() + 1 : 0); }
  void FillSignals(Eigen::Ref<Eigen::VectorXd> signals) const;

 private:
  bool has_indicator() const { return options_.threshold.size() > 0; }

  ObserverOptions options_;
  Eigen::VectorXd r_;
  Eigen::VectorXd known_;  ///< Cᵀv − bias + r
};

}  // namespace civita
