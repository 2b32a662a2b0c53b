#pragma once

#include "civita/controllers/controller.h"
#include "civita/controllers/task_field.h"

namespace civita {

inline constexpr ParameterInfo kTaskSpaceParameters[] = {
    {"Lambda_x", "Λ_x", "Task tracking", "1/s", "1/s",
     "rate at which the task's error decays once its velocity error is zero", 0.1, 50, 5,
     GainShape::kScalar},
    {"K_x", "K_x", "Task velocity error", "1/s", "N·s/m",
     "damping of the task; times its inertia while gains are scaled by mass", 0.1, 200, 20,
     GainShape::kScalar},
    {"Lambda", "Λ", "Posture", "1/s", "1/s", "rate at which the posture's error decays", 0.1, 50,
     2},
    {"K_D", "K_D", "Posture velocity error", "1/s", "N·m·s/rad",
     "damping of the null space; times H while gains are scaled by mass", 0.1, 200, 10},
};

extern const LawInfo kTaskSpaceLaw;

/// Modular passive tracking of a frame, and of a posture in its null space (MPTC; [WES], remark 8,
/// with the coupling term that it omits). The reference velocity v_r = A_x ẋ_r + P v_p is that of
/// TaskField, whose symbols are used here, with the posture's v_p = v_d − Λ e (e on its manifold,
/// v_d carried, rates exact):
///   s = v − v_r,   σ = J s,   s_n = P s,   X = Λ(JH⁻¹C − J̇),
///   τ = H v̇_r + C v_r + g − Jᵀ(K_x σ − X s_n) − Pᵀ(K_D s_n + Xᵀσ) + passive forces at v_r,
/// K_x = k_x Λ or k_x, K_D as in SlotineLi. Equal to the law of the induced factorization (core's
/// TaskSpace) in every basis of the null space, X s_n being C_xn n.
///
/// Proof. With V = ½ sᵀH s = V_x + V_n, V_x = ½ σᵀΛσ and V_n = ½ s_nᵀH s_n,
///   V̇ = −σᵀK_x σ − s_nᵀK_D s_n − (passive, as SlotineLi) = −P:
/// the X terms do no work on s. They cancel the coupling C_xn in the closed loop, so that without
/// passive forces each storage decreases by itself, V̇_x = −σᵀK_x σ and V̇_n = −s_nᵀK_D s_n: the
/// posture does not disturb the task. With s_n → 0 the posture follows P v_p and converges to q_d
/// as far as the task allows.
///
/// Near singularities, where the field is damped, V̇ = −P also holds exactly, since v̇_r is the
/// exact rate and the form of the damping requires no more; what is lost is the split into two
/// storages, and with it the task's convergence in that direction.
///
/// All of this is in the law's velocities w (Controller), which stand for v here.
///
/// A diagonal K_x is k_x L² N·m·s/rad for a pose's rotations, L the field's length.
///
/// Signals: those of the field, then V_x and V_n (J).
class TaskSpaceLaw final : public Controller {
 public:
  /// options.task must be set. @throws UserError as the constructor of TaskField.
  TaskSpaceLaw(const Model& model, const ControllerOptions& options);

  Status CalcControl(const Measurement&, const ReferenceState&, ControlOutput&) override;
  StorageState CalcStorage(const PlantState&, const ControlOutput&) override;

 private:
  static constexpr int kLambdaX = GainIndex(kTaskSpaceParameters, "Lambda_x");
  static constexpr int kKX = GainIndex(kTaskSpaceParameters, "K_x");
  static constexpr int kLambda = GainIndex(kTaskSpaceParameters, "Lambda");
  static constexpr int kKD = GainIndex(kTaskSpaceParameters, "K_D");

  using TaskVector = TaskField::TaskVector;

  void CalcFeedback(Eigen::VectorXd& signals);

  TaskField field_;
  TaskVector sigma_, K_x_sigma_;
  Eigen::VectorXd w_r_, wdot_r_, s_, s_n_, K_D_s_n_, scratch_, force_, tau_;  ///< nw
};

}  // namespace civita
