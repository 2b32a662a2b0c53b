#pragma once

#include <optional>

#include "civita/controllers/slotine_li.h"
#include "civita/controllers/task_field.h"

namespace civita {

inline constexpr ParameterInfo kReferenceDynamicsParameters[] = {
    {"Lambda", "Λ", "Field", "1/s", "1/s", "rate at which the field leads to its goal", 0.1, 50, 5},
    kSlotineLiParameters[1],
    {"K_v", "K_v", "Field's velocity error", "1/s", "1/s",
     "rate at which the velocity converges to the field's; level acceleration", 0.1, 50, 5},
    {"k", "k", "Yielding", "1/s", "1/s",
     "rate at which the reference velocity yields to the motion; level acceleration", 0.1, 50, 5,
     GainShape::kScalar},
    {"Lambda_x", "Λ_x", "Task", "1/s", "1/s", "rate at which the task's error decays; goal task",
     0.1, 50, 5, GainShape::kScalar},
    kSlotineLiParameters[2],
};

inline constexpr std::string_view kFieldGoals[] = {"tracking", "limit_cycle", "task"};
inline constexpr std::string_view kFieldLevels[] = {"acceleration", "velocity"};

inline constexpr OptionInfo kReferenceDynamicsOptions[] = {
    {.key = "goal",
     .unit = "",
     .doc = "the reference, a circle about it in the first two coordinates, or its task path",
     .default_value = kFieldGoals[0],
     .choices = kFieldGoals},
    {.key = "level",
     .unit = "",
     .doc = "v_r integrated from an acceleration, or the goal's velocity field",
     .default_value = kFieldLevels[0],
     .choices = kFieldLevels},
    {.key = "cycle_radius",
     .unit = "rad, m",
     .doc = "radius of the limit cycle",
     .default_value = 0.3,
     .range = NumberRange::kPositive},
    {.key = "cycle_rate",
     .unit = "rad/s",
     .doc = "rate along the limit cycle; from the first coordinate to the second where positive",
     .default_value = 1.0},
};

/// Values of kReferenceDynamicsOptions: the velocity field v_f(q, t), and how the law follows it.
struct FieldOptions {
  enum class Goal {
    kTracking,    ///< towards the reference
    kLimitCycle,  ///< a circle about the reference, in the first two coordinates
    kTask,        ///< the reference's path of the frame ControllerOptions::task
  };
  enum class Level {
    kAcceleration,  ///< v_r is a state, integrated
    kVelocity,      ///< v_r = v_f
  };
  Goal goal;
  Level level;
  double cycle_radius;  ///< rad or m
  double cycle_rate;    ///< rad/s

  /// `own` must have a value for each of kReferenceDynamicsOptions.
  static FieldOptions Of(const LawOptions& own);
};

extern const LawInfo kReferenceDynamicsLaw;

/// Passivity-based control with reference dynamics ([WES], remark 6): Slotine–Li's law with v_r
/// from a velocity field v_f(q, t) that leads to a goal, and s = v − v_r. By FieldOptions::Level:
///   v̇_r = −k (v_r − v) + a_d(q, v, t),   a_d = v̇_f − K_v (v − v_f)     (kAcceleration)
///   v_r = v_f(q, t),   v̇_r = v̇_f                                         (kVelocity)
/// In kAcceleration v_r is the law's state, v_r(0) = v(0), so that τ does not jump at the start;
/// v̇_f is the exact rate of v_f along the motion. K_v and Λ are diagonal, k a scalar. By
/// FieldOptions::Goal, with e = q ⊖ q_d and v_d carried to q (TrackingError):
///   v_f = v_d − Λ e                                                       (kTracking)
///   v_f = v_d − Λ (w e₁₂ + e₃…) + Ω J e₁₂,   w = (ρ² − R²)/(ρ² + R²)      (kLimitCycle)
///   v_f = A_x ẋ_r + P (v_d − Λ e),   ẋ_r = ẋ_d − Λ_x e_x                  (kTask; TaskField)
/// where e₁₂ are the first two coordinates of e, hinges or slides, e₃… the others, ρ = ‖e₁₂‖, J
/// rotates e₁₂ by a right angle, R and Ω are the cycle's radius and rate. Tracking is thus a_d =
/// v̇_d − (K_v + Λ) ė − K_vΛ e except for rotations, whose e and ė are the manifold's; with
/// kVelocity it is SlotineLi.
///
/// v, v_r and v_f are components in one field of axes, that of v, and their rates are those of the
/// components; so v_r needs no transport, not even for ball and free joints, and TrackingError
/// transports v_d. On closed chains and in coordinates v stands for the law's velocities w
/// (Controller), as in SlotineLi; the limit cycle is in coordinates of the robot alone.
///
/// Proof. With V = ½ sᵀH s the closed loop has V̇ = −sᵀK_D s − … = −P as SlotineLi's, whatever
/// a_d; the only premise is that v̇_r is the rate of v_r. This gives s → 0 and no more. For q it
/// follows:
/// - An exact model and v_r(0) = v(0) keep s ≡ 0, so v̇ = a_d: ν = v − v_f has ν̇ = −K_v ν.
/// - Otherwise ν_r = v_r − v_f has ν̇_r = −K_v ν_r + (k − K_v) s: it decays with s, and
///   independently of s where k = K_v, so v → v_f in both cases. A larger k lets v_r yield to v
///   under pushes and limits.
/// - q follows v_f + ν. Tracking: U = ½ eᵀe has U̇ = −eᵀΛe + eᵀν (J_r⁻ᵀe = e for a rotation), so e
///   → 0, for rotations by less than half a turn. Limit cycle: U = ½ (ρ² − R²)² has U̇ = −2 (ρ² −
///   R²)² e₁₂ᵀΛe₁₂/(ρ² + R²) + … < 0 except on the circle and at its centre, which is unstable,
///   and e₃… → 0: q converges to the submanifold ρ = R, e₃… = 0 for almost every start, and moves
///   along it at the rate Ω (with Ω = 0 it stops where it arrives). For Λ = λ1 and ν = 0 exactly,
///   ρ − R²/ρ ∝ e^(−λt). Task: J v_f = ẋ_r where nothing is damped, so ė_x = −Λ_x e_x + Jν of a
///   position (of a rotation as for U above), and e_x → 0; the posture converges to q_d as far as
///   the task allows.
///
/// The e reported is q ⊖ q_d for every goal. Signals: /cycle/radius, ρ in rad or m, for the limit
/// cycle; those of TaskField for the task.
class ReferenceDynamics final : public SlotineLi {
 public:
  /// @throws UserError for a limit cycle whose first two coordinates do not exist or belong to a
  /// ball joint's rotation or are not independent in a closed chain, and as TaskField for a task,
  /// which needs options.task.
  ReferenceDynamics(const Model& model, const ControllerOptions& options);

 private:
  static constexpr int kLambda = GainIndex(kReferenceDynamicsParameters, "Lambda");
  static constexpr int kKv = GainIndex(kReferenceDynamicsParameters, "K_v");
  static constexpr int kK = GainIndex(kReferenceDynamicsParameters, "k");
  static constexpr int kLambdaX = GainIndex(kReferenceDynamicsParameters, "Lambda_x");

  void CalcReferenceVelocity(const ReferenceState& reference, ControlOutput& output) override;
  void ResetLaw(const Measurement& start, const ReferenceState& reference,
                Eigen::Ref<Eigen::VectorXd> x) override;
  void CalcLawRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                   Eigen::Ref<Eigen::VectorXd> xdot) override;

  bool is_state() const { return field_.level == FieldOptions::Level::kAcceleration; }
  void CheckCycle() const;
  void CalcField(const ReferenceState& reference);
  void TurnToCycle();

  const FieldOptions field_;
  Eigen::VectorXd w_f_, wdot_f_;
  std::optional<TaskField> task_;
};

}  // namespace civita
