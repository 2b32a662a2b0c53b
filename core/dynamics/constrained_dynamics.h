#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "civita/constraint.h"
#include "civita/external_forces.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/status.h"
#include "civita/workspace.h"

namespace civita {

namespace internal {
struct ConstraintRows;
struct JointRow;
struct RigidRows;
}  // namespace internal
namespace kernels {
struct ConstraintView;
struct Kernels;
struct PlanView;
}  // namespace kernels

/// Dynamics of an open tree under constraints e(q) = 0 with ė = J v,
///   H v̇ + C v + g = τ + Jᵀλ,   J v̇ + J̇ v = −damping ė − stiffness e,
/// by the factor H = LᵀD L of branch-induced sparsity and the Cholesky factor R with pivoting of
/// J H⁻¹Jᵀ = WᵀW, W = D^{−½}L⁻ᵀJᵀ, or where rows are near to depending on others the QR
/// decomposition with pivoting of W, whose R it is. The rows of a RigidConstraint are [ω; ṗ] of B
/// relative to A, in the axes of A (CalcRelativeJacobian with kLocalWorldAligned), of a point ṗ
/// alone; its part of λ is [moment; force] on B at point_B, N·m and N, in the same axes, and the
/// opposite acts on A. Behind them stand the rows of joints, with e the position of the joint less
/// that which the constraint gives it, whose λ is the force on the joint that follows, N·m or N.
///
/// Rows that depend on others, as three of the six of a planar loop in space, are no error: v̇ is
/// unique, and λ of all that give it the least in norm. Where such rows contradict each other, as
/// those of four points of a foot that turns, v̇ has the least sum of squares of what remains of
/// them, whatever the axes of A: the limit of small damping (Update). Where the rank is less than
/// at the configuration given to the constructor, functions return kSingularConstraints and leave
/// their results as they are.
///
/// Rank is decided row by row, whatever units and masses are beside it: by the part of W's column
/// that those before it do not span, relative to the column, which counts as if the row of J were
/// as large as the largest of its rotation or point.
///
/// It is of `double` alone. Whether a contact is there and stays within its friction is the
/// caller's to find: λ pulls as it pushes, and there is no friction cone and no detection of
/// contacts.
///
/// The constructor allocates, nothing else does. Each thread needs its own.
class ConstrainedDynamics {
 public:
  /// `q` (nq numbers) is representative of the motion: the rank of J there is that which is
  /// expected. Parts of W below 1/max_condition of the size of their rows count as zero, those of
  /// rows that depend on others and those of a singular configuration. @throws UserError where H is
  /// singular at q, for max_condition that is not > 1, and as CheckConstraint does.
  ConstrainedDynamics(const Model& model, Constraints constraints,
                      const Eigen::Ref<const Eigen::VectorXd>& q, double max_condition = 1e6);

  /// Computes what the functions below need at the state of `workspace`, in O(N·d² + nv·m²) with m
  /// rows. With `damping` μ > 0 they solve (J H⁻¹Jᵀ + μ 1) λ = … instead, which has full rank at
  /// every configuration: λ is bounded, and the constraints are met but for μ λ. Needs
  /// Stage::kVelocity. @returns kSingularMassMatrix, kSingularConstraints or kOk, but for the first
  /// with the condition.
  Status Update(Workspace<double>& workspace, double damping = 0);

  /// Forward dynamics: v̇ (nv numbers) and λ (num_rows) under joint forces τ (nv numbers, N·m or N)
  /// and external forces, at the state of the last Update. @returns its status, with the residual.
  /// @throws ContractError where the workspace has another state.
  Status CalcForwardDynamics(VectorIn<double> tau, Workspace<double>& workspace,
                             VectorOut<double> vdot, VectorOut<double> lambda,
                             ExternalForces<double> forces = {});

  /// Impact at the configuration of the last Update: the velocity v⁺ (nv numbers) after v⁻ and the
  /// impulses Λ (num_rows; N·m·s and N·s), H(v⁺ − v⁻) = JᵀΛ and J v⁺ = −restitution J v⁻, with
  /// restitution ≥ 0. @returns the status of Update, with the residual.
  Status CalcImpulse(VectorIn<double> v_before, double restitution, VectorOut<double> v_after,
                     VectorOut<double> Lambda);

  /// Inverse dynamics with given constraint forces λ, τ = H v̇ + C v + g − Jᵀλ (nv numbers), at the
  /// state of the last Update, which may have met a singular configuration. @throws ContractError
  /// where the workspace has another state.
  void CalcInverseDynamics(VectorIn<double> vdot, VectorIn<double> lambda,
                           Workspace<double>& workspace, VectorOut<double> tau) const;

  /// Operational-space inertia (J H⁻¹Jᵀ)⁻¹ of all rows (num_rows × num_rows), of the damped matrix
  /// where Update had damping. @returns the status of Update, kSingularConstraints too where rows
  /// depend on others.
  Status CalcOperationalSpaceInertia(MatrixOut<double> inertia);

  const Constraints& constraints() const { return constraints_; }  ///< those that it was made of
  int num_rows() const { return static_cast<int>(J_.rows()); }     ///< of all constraints
  // As of the last Update.
  const Eigen::MatrixXd& J() const { return J_; }             ///< num_rows × nv
  const Eigen::VectorXd& error() const { return error_; }     ///< e: rotation vector (rad), m
  const Eigen::VectorXd& J_rate_v() const { return Jv_; }     ///< J̇ v
  const Eigen::VectorXd& baumgarte() const { return slow_; }  ///< −damping ė − stiffness e
  int rank() const { return rank_; }                          ///< of J
  int expected_rank() const { return expected_rank_; }        ///< at the constructor's q
  /// The largest ratio of the size of rows to what of theirs the others do not span, of the first
  /// expected_rank.
  double condition() const { return condition_; }

 private:
  void UpdateRows(Workspace<double>& workspace);
  void UpdateRows(const internal::RigidRows& rows, const RigidConstraint& constraint,
                  Workspace<double>& workspace);
  void UpdateRow(const internal::JointRow& row, const Workspace<double>& workspace);
  void RequireUpdate(const Workspace<double>& workspace, const char* function) const;
  kernels::ConstraintView View();
  void Whiten();
  void ProjectForce(Eigen::VectorXd& f);
  void ReleaseForce(Eigen::VectorXd& y);
  void Decompose(double damping);
  bool FactorRegular(double damping);
  void Orthogonalize();
  double Solve(double scale, Eigen::VectorXd& b);
  double Reconcile(double scale, const Eigen::VectorXd& b);

  Model model_;
  Constraints constraints_;
  std::shared_ptr<const internal::ConstraintRows> rows_;
  double max_condition_;
  MassMatrixCholesky<double> factor_;
  const kernels::Kernels* kernels_ = nullptr;  // of the last Update, and nullptr for none
  const kernels::PlanView* plan_ = nullptr;
  std::vector<std::uint8_t> used_;  // coordinates on which rows depend, and those that move these
  Eigen::VectorXd q_, v_;           // of the last Update
  double damping_ = 0;
  Status status_ = Status::kSingularMassMatrix;
  int rank_ = 0, expected_rank_ = 0;
  double condition_ = 0;
  Eigen::MatrixXd J_;                  // m × nv
  Eigen::VectorXd error_, Jv_, slow_;  // m; slow = −damping ė − stiffness e
  Eigen::MatrixXd H_;                  // where kernels write it
  Eigen::MatrixXd X_, G_;  // J, then J L⁻¹; J H⁻¹Jᵀ, its lower triangle; rows of whole blocks
  Eigen::VectorXd inverse_, squares_, products_, sums_;  // 1/D; of norms of J; scratch
  bool has_bias_ = false;
  Eigen::MatrixXd W_, Q_, S_;  // (nv + m) × m, R in the upper triangle; m × m: R_1ᵀ = Q S
  Eigen::VectorXi order_;      // of the columns of W
  Eigen::VectorXd sizes_, least_, norms_;  // of the columns of W; squares of what makes a rank
  Eigen::VectorXd b_, z_, rest_, force_, free_, bias_;
};

}  // namespace civita
