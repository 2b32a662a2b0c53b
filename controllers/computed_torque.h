#pragma once

#include <Eigen/Cholesky>

#include "civita/controllers/controller.h"
#include "civita/controllers/tracking_error.h"

namespace civita {

inline constexpr ParameterInfo kComputedTorqueParameters[] = {
    {"K_P", "K_P", "Stiffness", "1/s²", "1/s²", "acceleration per position error", 1, 2500, 100},
    {"K_D", "K_D", "Damping", "1/s", "1/s", "acceleration per velocity error", 0.1, 200, 20},
};

extern const LawInfo kComputedTorqueLaw;

/// Computed torque, also called inverse dynamics control (Luh, Walker and Paul 1980), on the
/// configuration manifold:
///   a = v̇_d − K_D s − J_eᵀ K_P e,   s = v − v_d,   τ = Ĥ a + Ĉ v + ĝ + passive forces,
/// e = q ⊖ q_d, v_d and v̇_d carried to q, ė = J_e s (TrackingError, CalcErrorForce). K_P and K_D
/// are diagonal and act on accelerations, so the gain form has no effect on them. Springs and
/// damping are cancelled at the measured q and v; dry friction is fed forward at v_d, since a
/// feedforward at the measured v would lose passivity.
///
/// a and s are those of the law's velocities w (Controller); the position's feedback is that of the
/// tree, AᵀJ_eᵀ K_P e, of closed chains with the independent coordinates' e. V̇ = −P then needs a
/// standing reference where loops leave one or two components of a ball joint's rotation: e of such
/// components alone has no exact rate in them.
///
/// Proof. The closed loop is ṡ = −K_D s − J_eᵀ K_P e + H⁻¹·(model error), so the storage
///   V = ½ sᵀs + ½ eᵀK_P e     (in the units of v², not an energy)
/// has V̇ = −sᵀK_D s = −P. Dry friction that the feedforward does not cancel counts as model
/// error.
class ComputedTorque final : public Controller {
 public:
  ComputedTorque(const Model& model, const ControllerOptions& options);

  Status CalcControl(const Measurement&, const ReferenceState&, ControlOutput&) override;
  StorageState CalcStorage(const PlantState&, const ControlOutput&) override;
  /// sᵀH⁻¹τ_ext: what a joint force τ_ext (nv) that the law does not know adds to V̇, in the unit
  /// of V̇.
  double CalcExternalPower(const PlantState& plant, const Eigen::VectorXd& tau_ext,
                           const ControlOutput& output) override;

 private:
  static constexpr int kKP = GainIndex(kComputedTorqueParameters, "K_P");
  static constexpr int kKD = GainIndex(kComputedTorqueParameters, "K_D");

  Eigen::VectorXd is_independent_;       ///< 0 for dependent coordinates of loops, else 1
  Eigen::VectorXd K_P_e_, scratch_;      ///< nv
  Eigen::VectorXd s_, K_D_s_, a_, tau_;  ///< nw
  Eigen::MatrixXd H_plant_, products_;   ///< H̄ of the plant, nw × nw; nv × nw
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

}  // namespace civita
