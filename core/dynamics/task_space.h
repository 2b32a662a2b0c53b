#pragma once

#include <vector>

#include "civita/change_of_coordinates.h"
#include "civita/mass_matrix_cholesky.h"

namespace civita {

/// The equations of motion split into a task ẋ = J v (nx rows) and motions that leave it alone, the
/// dynamically consistent null space ([WES], remark 8, completed): w = [ẋ; n],
///   v = A w = A_x ẋ + N n,   A_x = H⁻¹JᵀΛ,   Λ = (JH⁻¹Jᵀ)⁻¹,   J N = 0,
///   blockdiag(Λ, H_nn) ẇ + [C_xx C_xn; C_nx C_nn] w + Aᵀg = Aᵀτ,
///   C_xx = Λ(JH⁻¹C − J̇)A_x,  C_xn = Λ(JH⁻¹C − J̇)N,  C_nx = −C_xnᵀ,
///   H_nn = NᵀHN,  C_nn = NᵀCN + NᵀHṄ.
/// It is v = A w with any C that has Ḣ = C + Cᵀ, and inherits its properties; so Λ̇ = C_xx + C_xxᵀ.
/// The force of the task is C_xx ẋ + C_xn n: without the second part the task is not told by it.
///
/// The basis N = [1; −J_d⁻¹J_i] is smooth in q: n are the velocities of `independent` coordinates,
/// less their share of A_x ẋ. Which ones is chosen once. Sized once; Update allocates nothing. The
/// Model must outlive it.
template <typename T>
struct TaskSpace {
  enum class Status {
    kOk,
    kSingularMassMatrix,  ///< H is not positive definite
    kSingularTask,        ///< J has lost rows, or nearly: Λ is unbounded
    kSingularBasis,  ///< J_d has, J need not: choose another basis, where the motion stands still
  };

  /// Chooses the basis from J (nx × nv) at a configuration like those to come. Conditions beyond
  /// `max_condition` count as singular. @throws UserError if J lacks full row rank there, or has no
  /// fewer rows than columns.
  TaskSpace(const Model& model, const Eigen::Ref<const Eigen::MatrixXd>& J,
            double max_condition = 1e6);
  TaskSpace(const Model&& model, const Eigen::Ref<const Eigen::MatrixXd>& J,
            double max_condition = 1e6) = delete;

  /// Sets all members below. H and C nv × nv, J and J̇ nx × nv, all at one state; C of any
  /// factorization. When not kOk, those that could not be computed are left as they were.
  [[nodiscard]] Status Update(MatrixIn<T> H, MatrixIn<T> C, MatrixIn<T> J, MatrixIn<T> Jdot);

  /// w = [ẋ; n] of v.
  void CalcVelocity(VectorIn<T> v, VectorOut<T> w) const;

  std::vector<int> independent, dependent;  ///< coordinates of v

  MatrixX<T> Lambda;         ///< nx × nx, kg for a position
  MatrixX<T> A_x;            ///< nv × nx, the inertia-weighted inverse of J
  MatrixX<T> N, Ndot;        ///< nv × nn
  MatrixX<T> H_nn;           ///< nn × nn
  MatrixX<T> C_xx, C_xn;     ///< nx × nx, nx × nn
  MatrixX<T> C_nx, C_nn;     ///< nn × nx, nn × nn
  T task_condition = T(0);   ///< ‖Λ⁻¹‖‖Λ‖ (Frobenius), as of the last Update
  T basis_condition = T(0);  ///< ‖J‖‖J_d⁻¹‖

 private:
  bool UpdateTask();
  bool UpdateBasis();

  double max_condition_;
  MassMatrixCholesky<T> factor_;
  MatrixX<T> J_, Jdot_, P_, rows_;       // nx × nv; P = Λ(JH⁻¹C − J̇)
  MatrixX<T> J_d_, solution_, columns_;  // nx × nx, nx × nn, nv × nn
  MatrixX<T> task_;                      // nx × nx
  VectorX<T> heads_, scratch_;
};

}  // namespace civita
