#pragma once

#include "controllers/controller.h"
#include "controllers/tracking_error.h"
#include "core/mass_matrix_cholesky.h"

namespace civita {

inline constexpr ParameterInfo kTaskSpaceParameters[] = {
    {"Lambda_x", "Λ_x", "Task tracking", "1/s", "1/s",
     "rate at which the task's error decays once its velocity error is zero", 0.1, 50, 5, true,
     GainShape::kScalar},
    {"K_x", "K_x", "Task velocity error", "1/s", "N·s/m",
     "damping of the task; times its inertia while gains are scaled by mass", 0.1, 200, 20, true,
     GainShape::kScalar},
    {"Lambda", "Λ", "Posture", "1/s", "1/s", "rate at which the posture's error decays", 0.1, 50, 2,
     true},
    {"K_D", "K_D", "Posture velocity error", "1/s", "N·m·s/rad",
     "damping of the null space; times H while gains are scaled by mass", 0.1, 200, 10, true},
};

/// Modular passive tracking of a frame, and of a posture in the null space of it (MPTC; [WES],
/// remark 8, with the coupling that it leaves out). Task velocity ẋ = J v (nx = 3 of a position, 6
/// of a pose), M = JH⁻¹Jᵀ, Λ = M⁻¹, A_x = H⁻¹JᵀΛ, and P = 1 − A_x J, which takes from a velocity
/// what moves the task. With the task's reference ẋ_r = ẋ_d − Λ_x e_x and the posture's v_p = v_d −
/// Λ e (e_x and e on their manifolds, desired velocities carried, rates exact):
///   v_r = A_x ẋ_r + P v_p,   s = v − v_r,   σ = J s,   s_n = P s,   X = Λ(JH⁻¹C − J̇),
///   τ = H v̇_r + C v_r + g − Jᵀ(K_x σ − X s_n) − Pᵀ(K_D s_n + Xᵀσ) + passive forces at v_r,
/// K_x = k_x Λ or k_x, K_D as in SlotineLi. Equal to the law of the induced factorization (core's
/// TaskSpace) in every basis of the null space, X s_n being C_xn n. Where the reference names no
/// task, the frame is to go where q_d has it.
///
/// Proof. With V = ½ sᵀH s = V_x + V_n, V_x = ½ σᵀΛσ and V_n = ½ s_nᵀH s_n,
///   V̇ = −σᵀK_x σ − s_nᵀK_D s_n − (passive, as SlotineLi) = −P:
/// the X terms do no work on s. They take the coupling C_xn out of the loop, so that without
/// passive forces each storage falls by itself, V̇_x = −σᵀK_x σ and V̇_n = −s_nᵀK_D s_n: the posture
/// cannot disturb the task. s_n → 0 leaves the posture to follow P v_p: as near to q_d as the task
/// lets it.
///
/// Near singularities Λ = f(M), in the directions of M's eigenvectors, with f(λ) = 1/λ above λ_0
/// and its tangent (2 − λ/λ_0)/λ_0 below, λ_0 = kDampedShare of the mean eigenvalue at the start.
/// A_x stays bounded, and there JA_x = χ(λ/λ_0) < 1, χ(x) = x(2 − x): the task gets the share χ of
/// such a direction and the posture the rest. V̇ = −P holds there too, exactly, for v̇_r is the exact
/// rate with Λ̇ of this Λ, and the form of the damping needs no more; what is lost is the split in
/// two storages, and with it the task's convergence in that direction.
///
/// Lengths: a pose's rotations are told as L·ω, L the length (m) that makes the mean of M alike for
/// rotations and positions at the start; a diagonal K_x is k_x L² N·m·s/rad for them.
///
/// Signals: position error (m), rotation error (rad; of a pose), V_x and V_n (J), manipulability
/// (det JJᵀ)^½, and 1 − χ of the worst direction, 0 while nothing is damped.
class TaskSpaceLaw final : public Controller {
 public:
  static constexpr double kDampedShare = 0.01;

  /// Needs options.task. @throws UserError where the joints on the way to the frame cannot move it
  /// in nx directions.
  TaskSpaceLaw(const Model& model, const ControllerOptions& options);

  std::string_view type() const override { return "task_space"; }
  ControlStatus CalcControl(const Measurement& measured, const ReferenceState& reference,
                            ControlOutput& output) override;
  StorageState CalcStorage(const PlantState& plant, const ControlOutput& output) override;

 private:
  using TaskMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using TaskVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

  void CheckReach();
  void SetScales();
  void UpdateJacobians();
  bool UpdateInertia();
  void UpdateTarget(const ReferenceState& reference);
  void CalcTaskError(ControlOutput& output);
  void CalcReferenceVelocity(ControlOutput& output);
  void CalcTorque(const Eigen::VectorXd& q, ControlOutput& output);
  TaskVector Scaled(const Vector6<double>& velocity) const;

  TaskFrame task_;
  Eigen::Index nx_;
  double length_ = 1;
  double lambda_0_ = 0;  ///< eigenvalue of M below which a direction is damped
  double smallest_ = 0;  ///< of the present M

  MassMatrixCholesky<double> factor_;
  Workspace<double> target_workspace_;
  TaskTarget target_;
  TrackingError error_;
  Eigen::MatrixXd J6_, Jdot6_;  ///< 6 × nv
  Eigen::MatrixXd J_, Jdot_;    ///< nx × nv
  Eigen::MatrixXd Y_;           ///< H⁻¹Jᵀ, nv × nx
  Eigen::MatrixXd Hdot_;
  TaskMatrix Lambda_, Lambdadot_;
  TaskVector xdot_r_, xddot_r_, sigma_, K_x_sigma_;
  Eigen::VectorXd v_r_, s_n_, K_D_s_n_, scratch_, force_;  ///< nv
};

}  // namespace civita
