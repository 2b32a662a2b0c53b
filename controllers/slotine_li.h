#pragma once

#include <Eigen/LU>
#include <optional>

#include "civita/controllers/controller.h"
#include "civita/controllers/damping_force.h"
#include "civita/controllers/tracking_error.h"
#include "civita/velocity_map.h"

namespace civita {

inline constexpr ParameterInfo kSlotineLiParameters[] = {
    {"Lambda", "Λ", "Tracking", "1/s", "1/s", "rate at which the error decays once s is zero", 0.1,
     50, 5, true},
    {"K_D", "K_D", "Velocity error", "1/s", "N·m·s/rad",
     "damping of s; times H while gains are scaled by mass", 0.1, 200, 10, true},
    {"G", "G", "Skew gain", "N·m·s/rad", "N·m·s/rad",
     "skew part of the damping of s, which turns s and does no work; rows of a skew matrix, or "
     "entries {i: {j: G_ij}} of coordinates counted from 0",
     0, 100, 0, false, GainShape::kSkew, NumberRange::kAny},
};

extern const LawInfo kSlotineLiLaw;

/// Passivity-based tracking ([SL]; [WES], section IV-A1, with the sign of Λ corrected):
///   v_r = v_d − Λ e,   s = v − v_r,   τ = Ĥ v̇_r + Ĉ(q,v) v_r + ĝ − K_D s + passive forces at v_r,
/// e = q ⊖ q_d and v_d carried to q (TrackingError), v̇_r = v̇_d − Λ ė the exact rate of v_r. Λ is
/// diagonal. K_D = D^½ H D^½ with D = diag(k), which is k·H for one number k, or diag(k).
///
/// With a gain G, a skew matrix in joint units (N·m·s/rad), τ has the term −G s, too: sᵀG s = 0, so
/// that it turns s and leaves V̇. In other coordinates w it is A⁻ᵀG A⁻¹, on closed chains that of
/// the independent coordinates (the rows and columns of the others are not used).
///
/// In other coordinates w, v = A(q) w (ControllerOptions::coordinates), Λ and K_D are those of w:
///   w_r = A⁻¹v_d − Λ A⁻¹e,   v_r = A w_r,   K_D = A⁻ᵀ(D^½ AᵀHA D^½)A⁻¹ or A⁻ᵀdiag(k)A⁻¹.
/// H v̇_r + C v_r is a covector and needs no change ([WES], remark 7): with one number for each gain
/// scaled by mass the law is the same in all coordinates.
///
/// On closed chains v_r is A w_r and K_D is D^½ AᵀHA D^½ or diag(k) of the independent coordinates
/// (ClosedChainDrive).
///
/// Proof. The closed loop is H ṡ + C s + K_D s + D s + friction = model error, so with V = ½ sᵀH s
///   V̇ = sᵀ(H ṡ + ½Ḣ s) = −sᵀK_D s − sᵀD s − … + ½ sᵀ(Ḣ − 2C) s
/// and the last term is zero for every admissible C. The storage reported is this V with the
/// plant's H, and P = sᵀK_D s + the dissipation by damping and friction (CalcPassiveDissipation):
/// V̇ = −P.
class SlotineLi : public Controller {
 public:
  SlotineLi(const Model& model, const ControllerOptions& options);

  ControlStatus CalcControl(const Measurement& measured, const ReferenceState& reference,
                            ControlOutput& output) override;
  StorageState CalcStorage(const PlantState& plant, const ControlOutput& output) override;

 protected:
  /// For derived laws; the gains of `info` must begin with Λ and K_D. Its gain of GainShape::kSkew,
  /// if any, is G.
  SlotineLi(const Model& model, const LawInfo& info, const ControllerOptions& options);
  /// Sets v_r and output.sdot_ref = v̇_r from the errors; this class: v_d − Λ e and its rate.
  virtual void CalcReferenceVelocity(const Eigen::VectorXd& v, const ReferenceState& reference,
                                     ControlOutput& output);
  /// CalcControl without FinishControl. @returns kOk, or kSingular where the coordinates w do not
  /// exist.
  [[nodiscard]] ControlStatus CalcTorque(const Measurement& measured,
                                         const ReferenceState& reference, ControlOutput& output);

  TrackingError error_;
  Eigen::VectorXd v_r_;

 private:
  static constexpr int kLambda = GainIndex(kSlotineLiParameters, "Lambda");
  static constexpr int kKD = GainIndex(kSlotineLiParameters, "K_D");

  /// A and Ȧ of ControllerOptions::coordinates, and scratch memory in w.
  struct Change {
    explicit Change(int nv);
    /// x ← A⁻¹x, and xdot ← its rate A⁻¹(ẋ − ȦA⁻¹x).
    void ToNew(Eigen::VectorXd& x, Eigen::VectorXd& xdot);

    VelocityMap<double> map;
    Eigen::PartialPivLU<Eigen::MatrixXd> A_lu;
    Eigen::MatrixXd unit, inverse;  ///< the identity, A⁻¹
    Eigen::MatrixXd H, products;    ///< AᵀHA, and memory for it
    Eigen::VectorXd x, s, K_D_s, scratch;
  };
  bool UpdateChange();
  void CalcDamping(const Eigen::VectorXd& s);
  void CalcSkewForce(const Eigen::VectorXd& s);

  std::optional<Change> change_;
  std::optional<LoopDamping> loop_damping_;
  int skew_gain_ = -1;  ///< index of G; −1: the law has none
  Eigen::VectorXd K_D_s_;
  Eigen::VectorXd G_s_;
  Eigen::VectorXd scratch_;
};

}  // namespace civita
