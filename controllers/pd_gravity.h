#pragma once

#include "civita/controllers/controller.h"
#include "civita/controllers/tracking_error.h"

namespace civita {

inline constexpr ParameterInfo kPdGravityParameters[] = {
    {"K_P", "K_P", "Stiffness", "1/s²", "N·m/rad",
     "spring towards q_d; times diag H(q_start) while gains are scaled by mass", 1, 2500, 100},
    {"K_D", "K_D", "Damping", "1/s", "N·m·s/rad",
     "damper towards v_d; times diag H(q_start) while gains are scaled by mass", 0.1, 200, 20},
};

extern const LawInfo kPdGravityLaw;

/// PD control with gravity compensation (Takegaki and Arimoto 1981) on the configuration manifold:
///   τ = ĝ − J_eᵀ K_P e − K_D s + passive forces at v_d,   s = v − v_d,
/// e = q ⊖ q_d, v_d carried to q, ė = J_e s (TrackingError, CalcErrorForce). K_P, K_D are constant
/// diagonal matrices diag(k), or diag(k)·diag(H(q_start)).
///
/// K_D is that of the law's velocities w (Controller), scaled by diag(H̄(q_start)). The position's
/// feedback is the tree's, AᵀJ_eᵀ K_P e, as a potential of e in w would have a rate that nothing
/// cancels; on closed chains K_P is that of the independent coordinates, scaled as K_D is.
///
/// Proof, for a constant reference. V = ½ sᵀH s + ½ eᵀK_P e gives, with H v̇ + C v + g = τ,
///   V̇ = sᵀ(τ − g − H v̇_d − C v_d) + eᵀK_P ė = −sᵀK_D s − dissipation by damping and friction
/// for v_d = 0; that is −P. A moving reference adds −sᵀ(H v̇_d + C v_d), as the law has no
/// feedforward: then V̇ + P is not zero, and measures how far this baseline falls short.
class PdGravity final : public Controller {
 public:
  PdGravity(const Model& model, const ControllerOptions& options);

  Status CalcControl(const Measurement&, const ReferenceState&, ControlOutput&) override;
  StorageState CalcStorage(const PlantState&, const ControlOutput&) override;

 private:
  static constexpr int kKP = GainIndex(kPdGravityParameters, "K_P");
  static constexpr int kKD = GainIndex(kPdGravityParameters, "K_D");

  void TakeInertiaAt(const Eigen::VectorXd& q_start);

  /// Diagonals of H (nv; 0 for dependent coordinates of loops) and H̄ (nw) at q_start, or ones.
  Eigen::VectorXd stiffness_scale_, damping_scale_;
  Eigen::VectorXd K_P_e_, scratch_;  ///< nv
  Eigen::VectorXd s_, K_D_s_, tau_;  ///< nw
};

}  // namespace civita
