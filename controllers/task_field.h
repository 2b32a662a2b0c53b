#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/mass_matrix_cholesky.h"

namespace civita {

/// Signals of laws of a task, as they are recorded.
inline constexpr const char *kTaskErrorM = "/law/task/error_m",
                            *kTaskErrorRad = "/law/task/error_rad",
                            *kTaskDamped = "/law/task/damped";

/// A joint velocity field that leads a frame to its task and, in the null space, the joints to a
/// posture. Task velocity ẋ = J v (nx = 3 for a position, 6 for a pose, 2 for a plane), M = JH⁻¹Jᵀ,
/// Λ = M⁻¹, A_x = H⁻¹JᵀΛ, and P = 1 − A_x J, the projector to velocities that do not move the task.
/// With the task's reference ẋ_r = ẋ_d − Λ_x e_x (e_x on its manifold, ẋ_d carried) and a posture's
/// velocity v_p:
///   v_f = A_x ẋ_r + P v_p,
/// so that J v_f = ẋ_r, and v̇_f is its exact rate along the motion. Where the reference gives no
/// task, the target is the frame's pose at q_d.
///
/// Near singularities Λ = f(M), in the directions of M's eigenvectors, with f(λ) = 1/λ above λ_0
/// and its tangent (2 − λ/λ_0)/λ_0 below, λ_0 = kDampedShare of the mean eigenvalue at the start.
/// A_x stays bounded, and there JA_x = χ(λ/λ_0) < 1, χ(x) = x(2 − x): the task keeps the share χ
/// of such a direction and the posture gets the rest. The rate is exact there too, with Λ̇ of this
/// Λ.
///
/// All of this is in the velocities w of a VelocitySpace, nw numbers: of closed chains or
/// coordinates J, H and v stand for J A, AᵀHA and w.
///
/// Units: a pose's rotations enter as L·ω, where the length L (m) makes the mean diagonal of M
/// equal for rotations and positions at the start.
class TaskField {
 public:
  using TaskMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using TaskVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  using Rows = Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1, 0, 6, 1>;

  static constexpr double kDampedShare = 0.01;

  /// @throws UserError where the joints before the frame cannot move it in nx directions.
  TaskField(const VelocitySpace& space, const TaskFrame& task, const Eigen::VectorXd& q_start);

  /// Replaces the posture's w_p and ẇ_p (nw numbers) by w_f and ẇ_f, at the workspace's state, with
  /// its H̄ (nw × nw). @returns kNotFinite where H̄ cannot be factored. Allocates nothing.
  Status Update(const ReferenceState& reference, double Lambda_x, const Eigen::MatrixXd& H,
                SpaceWorkspace<double>& workspace, Eigen::VectorXd& w, Eigen::VectorXd& wdot);

  Eigen::Index nx() const { return nx_; }
  const Eigen::MatrixXd& J() const { return J_; }        ///< nx × nw
  const Eigen::MatrixXd& Jdot() const { return Jdot_; }  ///< nx × nw
  const Eigen::MatrixXd& Y() const { return Y_; }        ///< H⁻¹Jᵀ, nw × nx
  const TaskMatrix& Lambda() const { return Lambda_; }

  std::vector<SignalInfo> Signals() const;
  /// Writes its signals to the first entries of `signals`. @returns their number.
  Eigen::Index FillSignals(Eigen::VectorXd& signals) const;

 private:
  void CheckReach(const Eigen::VectorXd& q_start, SpaceWorkspace<double>& workspace);
  bool MoveTo(Eigen::VectorXd& q, SpaceWorkspace<double>& workspace) const;
  void SetScales(const Eigen::VectorXd& q_start, SpaceWorkspace<double>& workspace);
  void UpdateJacobians(SpaceWorkspace<double>& workspace);
  void CalcJacobians(SpaceWorkspace<double>& workspace);
  bool Factor(const Eigen::MatrixXd& H, SpaceWorkspace<double>& workspace);
  void SolveInPlace(Eigen::Ref<Eigen::MatrixXd> x) const;
  bool UpdateInertia(const Eigen::MatrixXd& H, SpaceWorkspace<double>& workspace);
  void UpdateTarget(const ReferenceState& reference);
  void CalcTaskReference(double Lambda_x, Workspace<double>& tree);
  void Project(Eigen::VectorXd& w, Eigen::VectorXd& wdot);
  TaskVector Scaled(const Vector6<double>& velocity) const;

  const VelocitySpace space_;
  const Model model_;  ///< its tree
  TaskFrame task_;
  Rows rows_;  ///< of the task in [ω; ṗ]
  Eigen::Index nx_;
  double length_ = 1;
  double lambda_0_ = 0;  ///< eigenvalue of M below which a direction is damped
  double smallest_ = 0;  ///< smallest eigenvalue of the present M
  double error_m_ = 0, error_rad_ = 0;

  MassMatrixCholesky<double> factor_;  ///< of H of a tree
  Eigen::LLT<Eigen::MatrixXd> llt_;    ///< of H̄ of other velocities
  Workspace<double> target_workspace_;
  TaskTarget target_;
  Eigen::MatrixXd J6_target_;   ///< 6 × nv
  Eigen::MatrixXd J6_, Jdot6_;  ///< 6 × nw
  Eigen::MatrixXd J_, Jdot_, Y_;
  Eigen::MatrixXd Hdot_;  ///< nw × nw
  TaskMatrix Lambda_, Lambdadot_;
  TaskVector xdot_r_, xddot_r_;
  Eigen::VectorXd scratch_, force_;  ///< nw
};

}  // namespace civita
