#pragma once

#include "civita/controllers/controller.h"

namespace civita {

inline constexpr ParameterInfo kSlotineLiParameters[] = {
    {"Lambda", "Λ", "Tracking", "1/s", "1/s", "rate at which the error decays once s is zero", 0.1,
     50, 5},
    {"K_D", "K_D", "Velocity error", "1/s", "N·m·s/rad",
     "damping of s; times H while gains are scaled by mass", 0.1, 200, 10},
    {"G", "G", "Skew gain", "N·m·s/rad", "N·m·s/rad",
     "skew part of the damping of s, which turns s and does no work; rows of a skew matrix, or "
     "entries {i: {j: G_ij}} of coordinates counted from 0",
     0, 100, 0, GainShape::kSkew, NumberRange::kAny},
};

extern const LawInfo kSlotineLiLaw;

/// Passivity-based tracking ([SL]; [WES], section IV-A1, with the sign of Λ corrected):
///   v_r = v_d − Λ e,   s = v − v_r,   τ = Ĥ v̇_r + Ĉ(q,v) v_r + ĝ − K_D s + passive forces at v_r,
/// e = q ⊖ q_d and v_d carried to q (TrackingError), v̇_r = v̇_d − Λ ė the exact rate of v_r. Λ is
/// diagonal. K_D = D^½ H D^½ with D = diag(k), which is k·H for one number k, or diag(k).
///
/// With a gain G, a skew matrix in joint units (N·m·s/rad), τ has the term −G s, too: sᵀG s = 0, so
/// that it turns s and leaves V̇.
///
/// All of this is in the law's velocities w (Controller): of closed chains the independent ones,
/// with their numbers of the gains and their rows and columns of G; of coordinates v = A w e =
/// A⁻¹(q ⊖ q_d). H ẇ_r + C w_r is a covector ([WES], remark 7): with one number for each gain
/// scaled by mass the law is the same in all coordinates.
///
/// Proof. The closed loop is H ṡ + C s + K_D s + D s + friction = model error, so with V = ½ sᵀH s
///   V̇ = sᵀ(H ṡ + ½Ḣ s) = −sᵀK_D s − sᵀD s − … + ½ sᵀ(Ḣ − 2C) s
/// and the last term is zero for every admissible C. The storage reported is this V with the
/// plant's H, and P = sᵀK_D s + the dissipation by damping and friction (CalcPassiveDissipation):
/// V̇ = −P.
class SlotineLi : public Controller {
 public:
  SlotineLi(const Model& model, const ControllerOptions& options);

  Status CalcControl(const Measurement&, const ReferenceState&, ControlOutput&) override;
  StorageState CalcStorage(const PlantState&, const ControlOutput&) override;

 protected:
  /// For derived laws; the gains of `info` must begin with Λ and K_D. Its gain of GainShape::kSkew,
  /// if any, is G.
  SlotineLi(const Model& model, const LawInfo& info, const ControllerOptions& options);
  /// Sets w_r_ and wdot_r_ from the errors; this class: w_d − Λ e and its rate.
  virtual void CalcReferenceVelocity(const ReferenceState& reference, ControlOutput& output);
  /// Adds to τ̄ before it is finished; this class: nothing.
  virtual void AddToTorque(ControlOutput& /*output*/, Eigen::VectorXd& /*tau*/) {}

  Eigen::VectorXd w_r_, wdot_r_;

 private:
  static constexpr int kLambda = GainIndex(kSlotineLiParameters, "Lambda");
  static constexpr int kKD = GainIndex(kSlotineLiParameters, "K_D");

  void CalcSkewForce();

  int skew_gain_ = -1;                               ///< index of G; −1: the law has none
  Eigen::VectorXd s_, K_D_s_, G_s_, scratch_, tau_;  ///< nw
};

}  // namespace civita
